import { knex } from "../../../db/builder.ts";
import { tenantColumn } from "../../read/entity.ts";
import { model } from "../../resources/index.ts";
import { dependentsOf } from "../../write/deletion/dependents.ts";

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
    .whereRaw("case when (?) >= ? then false else (?) is null end", [last, before, any])
    .select("session_id as id");
};

const downward = (column: string) => ({ column, order: "desc" });

/** Deletes events of sessions, as many as one transaction removes. */
export const dropEvents = (organization_id: string, sessionIds: string[]) => {
  const events = knex("recorded_event").where({ organization_id });
  const some = events
    .clone()
    .where(isAny("session_id", sessionIds, "uuid"))
    .limit(EVENTS)
    .select("event_id");
  return events.whereIn("event_id", some).delete(["event_id", "timestamp"]);
};

/** Events that one transaction removes: it holds the organization's writers back. */
export const EVENTS = 2_000;

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

/** Tables of what is known of sessions beside their events, with the columns of the organization and the session. */
export const BESIDE: readonly { table: string; tenant: string; session: string }[] = [
  ...["recorded_delta", "recorded_open", "recorded_part"].map((table) => {
    return { table, tenant: "organization_id", session: "session_id" };
  }),
  ...dependentsOf(model, "RecordedSession")
    .links.filter(({ entity }) => entity.table !== "recorded_event")
    .map(({ entity, by }) => {
      return { table: entity.table, tenant: tenantColumn(entity), session: entity.names?.[by] ?? by };
    }),
];

/** Deletes what a table knows of sessions beside their events. */
export const dropBeside = (
  { table, tenant, session }: (typeof BESIDE)[number],
  organizationId: string,
  ids: string[],
) =>
  knex(table)
    .where({ [tenant]: organizationId })
    .whereRaw("?? = any(?::uuid[])", [session, ids])
    .delete();

/** Deletes users who have no session left. */
export const dropUsers = (organization_id: string, ids: string[]) =>
  knex("recorded_user as u")
    .where({ organization_id })
    .where(isAny("user_id", ids, "text"))
    .whereNotExists(
      knex("recorded_session as s")
        .where({ "s.organization_id": organization_id, "s.user_id": knex.ref("u.user_id") })
        .select(knex.raw("1")),
    )
    .delete();

/** True when a column has one of some ids. */
export const isAny = (column: string, ids: string[], type: "uuid" | "text") =>
  knex.raw(`${column} = any(?::${type}[])`, [ids]);
