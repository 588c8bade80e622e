import { knex } from "../../../db/builder.ts";
import { isAny } from "../../resources/recorded/deletion/rows.ts";
import { isHeld } from "../../resources/recorded/retention/due.ts";

/** Sessions without an event since a moment. Mostly the last event shows that a session goes on: it is read first. */
export const expired = (organizationId: string, before: Date) => {
  const events = knex("recorded_event as e")
    .where("e.organization_id", organizationId)
    .where("e.session_id", knex.ref("s.session_id"));
  const last = events.clone().orderBy(["e.timestamp", "e.event_id"].map(downward)).limit(1).select("e.received_at");
  const any = events.clone().where("e.received_at", ">=", before).limit(1).select(knex.raw("true"));
  return knex("recorded_session as s")
    .where("organization_id", organizationId)
    .where("last_received_at", "<", before)
    .whereRaw(`not ${isHeld({ alias: "s", organization: "cast(:organizationId as uuid)" })}`, { organizationId })
    .whereRaw("case when (?) >= ? then false else (?) is null end", [last, before, any])
    .select("session_id as id");
};

const downward = (column: string) => ({ column, order: "desc" });

/** Deletes sessions that have no event left. */
export const dropSessions = (organization_id: string, ids: string[]) =>
  knex("recorded_session as s")
    .where({ organization_id })
    .where(isAny("session_id", ids, "uuid"))
    .whereNotExists(
      knex("recorded_event as e")
        .where({ "e.organization_id": organization_id, "e.session_id": knex.ref("s.session_id") })
        .select(knex.raw("1")),
    )
    .delete(["session_id", "user_id"]);
