import type { Entity, SqlRow } from "../../read/entity.ts";
import { column, organization } from "../../read/row.ts";
import { atMost } from "./computed-row.ts";
import { endOf, isToolCall, isTurn } from "./kinds.ts";

/** Parts that a session's time is cut into where its course is drawn. */
const PARTS = 40;
/** Events at the beginning and at the end of each part that a long session is drawn from. */
const [FIRST, LAST] = [15, 10];
/** Events of a session up to which all of them are read. */
const EXACT = PARTS * (FIRST + LAST);
/** Failures and turns of a long session that are read wherever they are; of more failures the first of each part. */
const FAILURES = 5_000;
const TURNS = 1_000;

/** SQL of the events of a session of which a condition holds, as `e`. */
type Events = (condition: string) => string;

/** SQL of what an event adds to its parts. */
const mark = (e: string): string => `case when not ${e}.success then 4 when ${isToolCall(e)} then 1 else 2 end`;

/**
 * SQL of one digit a part: the sum of 1 where a tool ran, 2 where something else did, and 4 where something failed. It
 * reads `span`, the time from its first event to its end, `head`, its first events, and `top`, who was asked first.
 * Raw SQL: a part of what the read planner writes.
 */
const course = (events: Events): string => `select string_agg(coalesce(marks.mark, 0)::text, '' order by n.part)
    from generate_series(0, ${PARTS - 1}) n (part)
    left join (select covered.part, bit_or(covered.mark) as mark
      from (select generate_series(${part("d.at")}, ${part("d.until")}) as part, d.mark
        from span, lateral (select * from head where not span.long union all ${sample(events)}) d) covered
      group by covered.part) marks on marks.part = n.part`;

const part = (at: string): string =>
  `least(${PARTS - 1}, greatest(0, coalesce(floor(${PARTS} * extract(epoch from ${at} - span.began)
      / nullif(extract(epoch from span.ended - span.began), 0)), 0)))::int`;

/**
 * SQL of the events that a long session is drawn from: what failed, by the index of failures, and where that is too much
 * at least one of each part in which one began; the turns of its agent, which reach over many parts; and of each part the first events, and the last, which reach over a pause after it.
 */
function sample(events: Events): string {
  const drawn = `select e.timestamp as at, ${endOf("e")} as until, ${mark("e")} as mark from`;
  const within = events(`e.timestamp >= p.since and e.timestamp < p.until`);
  const edge = (direction: string, count: number) => `select f.* from parts p cross join lateral (
        ${drawn} ${within} order by e.timestamp ${direction}, e.event_id ${direction} ${atMost(count)}) f`;
  return `select * from (with parts as (select span.began + n * (span.ended - span.began) / ${PARTS} as since,
          case when n < ${PARTS - 1} then span.began + (n + 1) * (span.ended - span.began) / ${PARTS} else 'infinity' end as until
        from generate_series(0, ${PARTS - 1}) n),
      failed as materialized (${drawn} ${events("not e.success")} limit ${FAILURES})
      select * from failed
      union all select f.* from parts p cross join lateral (
        ${drawn} ${events("not e.success and e.timestamp >= p.since and e.timestamp < p.until")}
        order by e.timestamp ${atMost(1)}) f where (select count(*) from failed) >= ${FAILURES}
      union all (${drawn} ${events(`e.primitive_name = top.agent and ${isTurn("e")}`)} limit ${TURNS})
      union all ${edge("asc", FIRST)}
      union all ${edge("desc", LAST)}) s where span.long`;
}

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
