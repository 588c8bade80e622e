import type { SqlRow, ToOne } from "../../../read/entity.ts";
import { bindOrganization, columnSql } from "../../../read/row.ts";
import type { Resource } from "../../resource.ts";
import { kindSql } from "../kinds.ts";

/**
 * Maximum number of a group's newest failures from which examples are chosen, with at most one failure per hour and
 * session. Maximum number of examples.
 */
const LOOKED_AT = 50;
const SHOWN = 3;
/**
 * Number of characters of arguments and messages by which failures are distinguished. Number of characters of a step's
 * arguments that are shown.
 */
const COMPARED = 500;
const BRIEF = 200;
/** Number of shown events before a failure. */
const STEPS = 4;

/**
 * Raw SQL, like all fragments here: a fragment for the read planner. Returns the newest failures of a group that differ
 * in arguments or message. Of equal failures, only the newest is returned.
 */
export const failureExamplesSql = (
  row: SqlRow,
): string => `select event_id as id, event_id as "eventId", session_id as "sessionId", timestamp as at,
    row_number() over (order by timestamp desc, event_id) as position
  from (select e.event_id, e.session_id, e.timestamp,
      row_number() over (partition by left(e.args, ${COMPARED}), left(e.message, ${COMPARED}) order by e.timestamp desc, e.event_id) as place
    from (select f.event_id from recorded_failure f
      where f.organization_id = ${bindOrganization(row.build)} and f.group_id = ${columnSql(row, "id")}
      order by f.hour desc, f.session_id limit ${LOOKED_AT}) f
    join recorded_event e on e.organization_id = ${bindOrganization(row.build)} and e.event_id = f.event_id) d
  where place = 1 order by timestamp desc, event_id limit ${SHOWN}`;

/** SQL for the events that began directly before an example in the same session, oldest first. */
const steps = (row: SqlRow): string => `select b.*, row_number() over (order by b.at, b.id) as position
  from (select e.event_id as id, e.primitive_name as name, ${kindSql("e")} as kind, e.success, left(e.args, ${BRIEF}) as args,
      e.timestamp as at
    from recorded_event e where e.organization_id = ${bindOrganization(row.build)} and e.session_id = ${columnSql(row, "sessionId")}
      and (e.timestamp, e.event_id) < (${columnSql(row, "at")}, ${columnSql(row, "eventId")})
    order by e.timestamp desc, e.event_id desc limit ${STEPS}) b`;

const found = (entity: string, by: string): ToOne => ({
  entity,
  where: (target, source) => `${columnSql(target, "id")} = ${source ? columnSql(source, by) : "null"}`,
});

/** A failure of a group, and the events before the failure. */
export const recordedFailureExample: Resource = {
  entity: {
    name: "RecordedFailureExample",
    table: "",
    columns: { eventId: "uuid", sessionId: "uuid", at: "timestamp", position: "integer" },
    one: { event: found("RecordedEvent", "eventId"), session: found("RecordedSession", "sessionId") },
    many: { before: { entity: "RecordedFailureStep", most: STEPS, rows: steps } },
  },
};

/** An event before a failure. */
export const recordedFailureStep: Resource = {
  entity: {
    name: "RecordedFailureStep",
    table: "",
    columns: {
      id: "uuid",
      name: "text",
      kind: "text",
      success: "boolean",
      args: "text",
      at: "timestamp",
      position: "integer",
    },
  },
};
