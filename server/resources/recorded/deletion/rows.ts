import { knex } from "../../../../db/builder.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import { type EntityModel, tenantColumn } from "../../../read/entity.ts";
import { findEntityDependents } from "../../../write/deletion/dependents.ts";

/** Maximum number of events that a transaction removes, because the transaction blocks the organization's writers. */
export const MAX_DROPPED_EVENTS = 2_000;

/** SQL condition: a column contains any of the given ids. */
export const isAnyOfIdsSql = (column: string, ids: readonly string[], type: "uuid" | "text") =>
  knex.raw(`${column} = any(?::${type}[])`, [[...ids]]);

/** Deletes events of sessions, up to the maximum per transaction. */
export const deleteEventsQuery = (organization_id: string, sessionIds: readonly string[]) => {
  const events = knex("recorded_event").where({ organization_id });
  const some = events
    .clone()
    .where(isAnyOfIdsSql("session_id", sessionIds, "uuid"))
    .limit(MAX_DROPPED_EVENTS)
    .select("event_id");
  return events.whereIn("event_id", some).delete(["event_id", "timestamp"]);
};

/**
 * Raw SQL: a single statement finds rows of recorded_part, deletes observations and seals the parts. Deletes the
 * observations of sessions $2, and those observations of the same parts that name no session. The remaining events of
 * sealed parts no longer change. Returns the traces that the deleted observations named.
 */
export const DELETE_OBSERVATIONS_SQL = `with own as (
    select part from recorded_observation where organization_id = $1 and session_id = any($2::uuid[])
    union select part from recorded_event where organization_id = $1 and session_id = any($2::uuid[]) and part is not null),
  parts as (select part from own union select p.part from own join recorded_part k on k.organization_id = $1 and k.part = own.part
    join recorded_part p on p.organization_id = $1 and p.component = k.component),
  gone as (delete from recorded_observation o using parts p where o.organization_id = $1 and o.part = p.part
    and (o.session_id is null or o.session_id = any($2::uuid[])) returning o.body),
  sealed as (update recorded_part r set sealed_at = now() from parts p where r.organization_id = $1 and r.part = p.part)
  select distinct o ->> 'trace' as id from gone, json_array_elements(body) o where o ->> 'trace' is not null`;

/** A table with session data other than events, and the table's columns for the organization and the session. */
interface Beside {
  table: string;
  tenant: string;
  session: string;
}

function besideOf(model: EntityModel): Beside[] {
  const linked = findEntityDependents(model, "RecordedSession").links.filter(
    ({ entity }) => entity.table !== "recorded_event",
  );
  return [
    ...["recorded_delta", "recorded_open", "recorded_action"].map((table) => {
      return { table, tenant: "organization_id", session: "session_id" };
    }),
    ...linked.map(({ entity, by }) => {
      return { table: entity.table, tenant: tenantColumn(entity), session: getOwnProperty(entity.names, by) ?? by };
    }),
  ];
}

/** Returns the statements that delete session data other than events. */
export const deleteSessionDataQueries = (model: EntityModel, organizationId: string, ids: readonly string[]) =>
  besideOf(model).map(({ table, tenant, session }) =>
    knex(table)
      .where({ [tenant]: organizationId })
      .whereRaw("?? = any(?::uuid[])", [session, [...ids]])
      .delete(),
  );

/** Deletes users without remaining sessions. */
export const deleteSessionlessUsersQuery = (organization_id: string, ids: readonly string[]) =>
  knex("recorded_user as u")
    .where({ organization_id })
    .where(isAnyOfIdsSql("user_id", ids, "text"))
    .whereNotExists(
      knex("recorded_session as s")
        .where({ "s.organization_id": organization_id, "s.user_id": knex.ref("u.user_id") })
        .select(knex.raw("1")),
    )
    .delete();

/** Returns the statement that deletes a user. The statement returns the user's id if the user existed. */
export const deleteUserQuery = (organization_id: string, user_id: string) =>
  knex("recorded_user").where({ organization_id, user_id }).delete("user_id");
