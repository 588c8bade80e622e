import type { Entity, SqlRow } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import { endOf } from "./duration.ts";
import { isToolCall, isTurn } from "./told.ts";

/** Parts that a session's time is cut into where its course is drawn. */
const PARTS = 40;
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

/** SQL of the one row of a session's brief. Raw SQL: a part of what the read planner writes. */
export function brief(row: SqlRow): string {
  const events = `recorded_event e where e.organization_id = ${organization(row.build)}
    and e.session_id = ${column(row, "id")}`;
  return `select top.agent, top.message, span."endedAt", last.failed as "lastFailed",
      exists (select from recorded_open o where o.organization_id = ${organization(row.build)}
        and o.session_id = ${column(row, "id")}) as open, course.course
    from (select min(e.timestamp) as began, max(${endOf("e")}) as "endedAt" from ${events}) span
    left join lateral (select e.primitive_name as agent, left(e.args, ${MESSAGE}) as message from ${events}
      and ${isTurn("e")} order by e.timestamp, e.event_id limit 1) top on true
    left join lateral (select not e.success as failed from ${events}
      order by e.timestamp desc, e.event_id desc limit 1) last on true
    left join lateral (${course(events)}) course on true`;
}

/** One digit a part: the sum of 1 where a tool ran, 2 where something else did, and 4 where something failed. */
function course(events: string): string {
  const part = (at: string) =>
    `least(${PARTS - 1}, greatest(0, coalesce(floor(${PARTS} * extract(epoch from ${at} - span.began)
      / nullif(extract(epoch from span."endedAt" - span.began), 0)), 0)))::int`;
  return `select string_agg(coalesce(marks.mark, 0)::text, '' order by n.part) as course
    from generate_series(0, ${PARTS - 1}) n (part)
    left join (select covered.part, bit_or(covered.mark) as mark
      from (select generate_series(${part("e.timestamp")}, ${part(endOf("e"))}) as part,
          case when not e.success then 4 when ${isToolCall("e")} then 1 else 2 end as mark from ${events}) covered
      group by covered.part) marks on marks.part = n.part`;
}
