import { atMost } from "./bounds.ts";
import { endOf } from "./duration.ts";
import { isToolCall, isTurn } from "./kinds.ts";

/** Parts that a session's time is cut into where its course is drawn. */
const PARTS = 40;
/** Events at the beginning and at the end of each part that a long session is drawn from. */
const [FIRST, LAST] = [15, 10];
/** Events of a session up to which all of them are read. */
export const EXACT = PARTS * (FIRST + LAST);
/** Failures and turns of a long session that are read wherever they are; of more failures the first of each part. */
const FAILURES = 5_000;
const TURNS = 1_000;

/** SQL of the events of a session of which a condition holds, as `e`. */
export type Events = (condition: string) => string;

/** SQL of what an event adds to its parts. */
export const mark = (e: string): string => `case when not ${e}.success then 4 when ${isToolCall(e)} then 1 else 2 end`;

/**
 * SQL of one digit a part: the sum of 1 where a tool ran, 2 where something else did, and 4 where something failed. It
 * reads `span`, the time from its first event to its end, `head`, its first events, and `top`, who was asked first.
 * Raw SQL: a part of what the read planner writes.
 */
export const course = (events: Events): string => `select string_agg(coalesce(marks.mark, 0)::text, '' order by n.part)
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
