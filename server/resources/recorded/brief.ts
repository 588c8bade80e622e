import type { Entity, SqlRow } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import { atMost } from "./bounds.ts";
import { course, type Events, EXACT, mark } from "./course.ts";
import { endOf } from "./duration.ts";
import { isTurn } from "./kinds.ts";

/** Characters of the first message. */
const MESSAGE = 300;

/** A session at a glance: who did it, what was asked first, and its course. */
export const recordedBrief: { entity: Entity } = {
  entity: {
    name: "RecordedBrief",
    table: "",
    columns: {
      agent: "text",
      message: "text",
      endedAt: "timestamp",
      lastFailed: "boolean",
      open: "boolean",
      course: "text",
    },
  },
};

/**
 * SQL of the one row of a session's brief. Raw SQL: a part of what the read planner writes. However long a session is,
 * so many of its events are read: the first, and in a longer one the end that its row keeps and a sample for its course.
 */
export function brief(row: SqlRow): string {
  const own = organization(row.build);
  const session = column(row, "id");
  const events: Events = (condition) =>
    `recorded_event e where e.organization_id = ${own} and e.session_id = ${session} and ${condition}`;
  const keptEnd = `greatest(${row.alias}.ended_at, (select max(d.ended_at) from recorded_delta d
      where d.organization_id = ${own} and d.session_id = ${session}))`;
  return `with head as materialized (select e.timestamp as at, ${endOf("e")} as until, ${mark("e")} as mark
        from ${events("true")} order by e.timestamp, e.event_id ${atMost(EXACT + 1)}),
      last as materialized (select e.timestamp as at, ${endOf("e")} as until, ${mark("e")} as mark, not e.success as failed
        from ${events("true")} order by e.timestamp desc, e.event_id desc limit 1),
      span as materialized (select min(at) as began, count(*) > ${EXACT} as long, case when count(*) > ${EXACT}
          then greatest(max(until), (select until from last), ${keptEnd}) else max(until) end as ended from head)
    select top.agent, top.message, (select ended from span) as "endedAt", (select failed from last) as "lastFailed",
      exists (select from recorded_open o where o.organization_id = ${own} and o.session_id = ${session}) as open,
      (${course(events)}) as course
    from (select) nothing
    left join lateral (select f.agent, left(f.args, ${MESSAGE}) as message from (select e.primitive_name as agent, e.args,
          ${isTurn("e")} as asked from ${events("true")} order by e.timestamp, e.event_id ${atMost(EXACT)}) f
      where f.asked limit 1) top on true`;
}
