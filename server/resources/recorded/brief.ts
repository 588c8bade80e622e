import type { Entity, SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import { limitSql } from "./computed-row.ts";
import { eventEndSql, isToolCallSql, isTurnSql } from "./kinds.ts";

/** Number of parts of a session's timeline. */
const PARTS = 40;
/**
 * Numbers of events at the beginning and at the end of each part. The timeline of a long session is computed from
 * these events.
 */
const [FIRST, LAST] = [15, 10];
/** Sessions with up to this number of events are read completely. */
const EXACT = PARTS * (FIRST + LAST);
/**
 * Maximum numbers of failures and of turns that are read from a long session, in addition to the events at the ends of
 * each part. If there are more failures, the first failure of each part is also read.
 */
const FAILURES = 5_000;
const TURNS = 1_000;

/** SQL for the events `e` of a session that satisfy a condition. */
type Events = (condition: string) => string;

/**
 * SQL for the number with which an event marks the parts of the timeline that the event spans: 4 for a failure, 1 for a
 * tool call, 2 for another event.
 */
const mark = (e: string): string => `case when not ${e}.success then 4 when ${isToolCallSql(e)} then 1 else 2 end`;

/**
 * SQL for the timeline: one digit per part. The digit is the sum of 1 if a tool ran, 2 if another event occurred, and 4
 * if an event failed. Reads the CTEs `span` (the time from the session's first event to its end) and `head` (the first
 * events), and the joined row `top` (the first turn). Raw SQL: a fragment for the read planner.
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
 * SQL for the events from which the timeline of a long session is computed. The events are failures, found by the index
 * of failures (if there are too many, at least the first failure of each part), turns of the agent, which span many
 * parts, and the first and last events of each part. The last event is needed because that event may span a following
 * pause.
 */
function sample(events: Events): string {
  const drawn = `select e.timestamp as at, ${eventEndSql("e")} as until, ${mark("e")} as mark from`;
  const within = events(`e.timestamp >= p.since and e.timestamp < p.until`);
  const edge = (direction: string, count: number) => `select f.* from parts p cross join lateral (
        ${drawn} ${within} order by e.timestamp ${direction}, e.event_id ${direction} ${limitSql(count)}) f`;
  return `select * from (with parts as (select span.began + n * (span.ended - span.began) / ${PARTS} as since,
          case when n < ${PARTS - 1} then span.began + (n + 1) * (span.ended - span.began) / ${PARTS} else 'infinity' end as until
        from generate_series(0, ${PARTS - 1}) n),
      failed as materialized (${drawn} ${events("not e.success")} limit ${FAILURES})
      select * from failed
      union all select f.* from parts p cross join lateral (
        ${drawn} ${events("not e.success and e.timestamp >= p.since and e.timestamp < p.until")}
        order by e.timestamp ${limitSql(1)}) f where (select count(*) from failed) >= ${FAILURES}
      union all (${drawn} ${events(`e.primitive_name = top.agent and ${isTurnSql("e")}`)} limit ${TURNS})
      union all ${edge("asc", FIRST)}
      union all ${edge("desc", LAST)}) s where span.long`;
}

/** Maximum characters of the first message. */
const MESSAGE = 300;

/** A summary of a session: its agent, the first prompt, and a timeline. */
export const recordedBriefResource: { entity: Entity } = {
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
 * SQL for the row of a session's brief. Raw SQL: a fragment for the read planner. The number of events that are read is
 * limited for any length of session: the first events and, for a longer session, a sample of events for the timeline.
 * For a longer session, the stored end is also read.
 */
export function briefSql(row: SqlRow): string {
  const own = bindOrganization(row.build);
  const session = columnSql(row, "id");
  const events: Events = (condition) =>
    `recorded_event e where e.organization_id = ${own} and e.session_id = ${session} and ${condition}`;
  const keptEnd = `greatest(${row.alias}.ended_at, (select max(d.ended_at) from recorded_delta d
      where d.organization_id = ${own} and d.session_id = ${session}))`;
  return `with head as materialized (select e.timestamp as at, ${eventEndSql("e")} as until, ${mark("e")} as mark
        from ${events("true")} order by e.timestamp, e.event_id ${limitSql(EXACT + 1)}),
      last as materialized (select e.timestamp as at, ${eventEndSql("e")} as until, ${mark("e")} as mark, not e.success as failed
        from ${events("true")} order by e.timestamp desc, e.event_id desc limit 1),
      span as materialized (select min(at) as began, count(*) > ${EXACT} as long, case when count(*) > ${EXACT}
          then greatest(max(until), (select until from last), ${keptEnd}) else max(until) end as ended from head)
    select top.agent, top.message, (select ended from span) as "endedAt", (select failed from last) as "lastFailed",
      exists (select from recorded_open o where o.organization_id = ${own} and o.session_id = ${session}) as open,
      (${course(events)}) as course
    from (select) nothing
    left join lateral (select f.agent, left(f.args, ${MESSAGE}) as message from (select e.primitive_name as agent, e.args,
          ${isTurnSql("e")} as asked from ${events("true")} order by e.timestamp, e.event_id ${limitSql(EXACT)}) f
      where f.asked limit 1) top on true`;
}
