import type { Edges } from "./range.ts";

/** Events of marked hours that a query reads, the newest, until all that was restored has been counted once. */
const MAX_UNCOUNTED = 200_000;

/** Named parts of a statement, in SQL. Each may read those before it. */
export type Parts = Readonly<Record<string, string>>;

/** SQL of a statement that reads named parts; none of them is run twice. */
export const withParts = (parts: Parts, statement: string): string =>
  `with ${Object.entries(parts)
    .map(([name, sql]) => `${name} as materialized (${sql})`)
    .join(",\n    ")}
  ${statement}`;

/** SQL of the day of a moment, in UTC. */
export const dayOf = (at: string): string => `date_trunc('day', ${at}, 'UTC')`;

/** A range of time of an organization, in SQL. It is composed here alone: of whole days, of hours, and of events. */
export interface Reach extends Edges {
  organization: string;
}

/**
 * Raw SQL, as all of this folder: parts of what the read planner writes. The parts that the rest of this file reads: the
 * ends of the range, which are no whole hours; its hours in which something was stored or taken away since they were
 * counted (`marked`); and how many events of those may be read, if there is a limit.
 */
export const reachParts = ({ organization, from, to, hour, hourEnd }: Reach): Parts => ({
  ends: `select ${from} as since, ${hour} as until union all select ${hourEnd}, ${to}`,
  marked: `select hour, hour as since, hour + interval '1 hour' as until from recorded_mark
      where organization_id = ${organization} and hour >= ${hour} and hour < ${hourEnd} group by hour order by hour desc`,
  bound: `select case when not exists (select from recorded_rollup where organization_id = ${organization} and counted)
      then ${MAX_UNCOUNTED} end as most`,
});

/** SQL of columns of the events, as `e`, that stand for themselves and satisfy a condition. */
export const eventsIn = (reach: Reach, columns: string, condition: string): string =>
  `select e.* from ends s ${eventsOf(reach, columns, condition)}
    union all (select e.* from marked s ${eventsOf(reach, columns, condition)} limit (select most from bound))`;

/** SQL of whether more events than that wait to be counted. */
export const isTruncated = (reach: Reach): string => `((select most from bound) is not null
    and exists (select from marked s ${eventsOf(reach, "", "true")} offset ${MAX_UNCOUNTED} limit 1))`;

/**
 * OFFSET 0 keeps the planner from joining all events with the times `s`, instead of finding each by the index of time:
 * ingest-plans.test ("tool stats") fails without it.
 */
const eventsOf = ({ organization }: Reach, columns: string, condition: string): string =>
  `cross join lateral (select ${columns} from recorded_event e where e.organization_id = ${organization}
      and e.timestamp >= s.since and e.timestamp < s.until and ${condition} offset 0) e`;

/** SQL of the condition that an hour is read from the roll-up. */
export const isCounted = (hour: string): string => `${hour} not in (select hour from marked)`;

/** SQL of the rows of recorded_tool_day, as `d`, that satisfy a condition and in whose day no hour is marked. */
export const countedDays = ({ organization, day, dayEnd }: Reach, condition = "true"): string =>
  `select d.* from recorded_tool_day d where d.organization_id = ${organization} and d.day >= ${day} and d.day < ${dayEnd}
      and d.day not in (select ${dayOf("hour")} from marked) and ${condition}`;

/** SQL of the rows of recorded_tool_hour, as `h`, that such days leave. */
export const countedHours = ({ organization, hour, hourEnd, day, dayEnd }: Reach): string =>
  `select h.* from (select ${hour} as since, ${day} as until union all select ${dayEnd}, ${hourEnd}
      union all select distinct ${dayOf("hour")}, ${dayOf("hour")} + interval '1 day' from marked
        where hour >= ${day} and hour < ${dayEnd}) s
    cross join lateral (select h.* from recorded_tool_hour h where h.organization_id = ${organization}
      and h.hour >= s.since and h.hour < s.until and ${isCounted("h.hour")}) h`;

/**
 * SQL of all counted hours of one tool. Tool and hour are compared as pairs, for which the key alone is of use: where the
 * planner took the hours for few, it read those of all tools.
 */
export const countedHoursOf = ({ organization, hour, hourEnd }: Reach, tool: string): string =>
  `select h.*, ${dayOf("h.hour")} as day from recorded_tool_hour h where h.organization_id = ${organization}
      and (h.tool, h.hour) >= (${tool}, ${hour}) and (h.tool, h.hour) < (${tool}, ${hourEnd}) and ${isCounted("h.hour")}`;

/** SQL of the calls by bucket of rows of both tables, beside one of their columns; a minus takes them away. */
export const bucketsOf = (rows: string, column: string, minus = ""): string =>
  `select ${column}, unnest(buckets) as bucket, ${minus}unnest(bucket_calls) as calls,
    ${minus}unnest(bucket_failures) as failures from ${rows}`;

/**
 * SQL that finds percentiles in sums of calls by bucket: of each key, the bucket in which so many of the calls with a
 * latency are reached. Both are names of columns of `sums`.
 */
export const percentiles = (sums: string, key: string): string => `select ${key},
      min(bucket) filter (where upto >= 0.5 * timed) as p50, min(bucket) filter (where upto >= 0.95 * timed) as p95,
      min(bucket) filter (where upto >= 0.99 * timed) as p99
    from (select ${key}, bucket, sum(calls) over (partition by ${key} order by bucket) as upto,
        sum(calls) over (partition by ${key}) as timed from ${sums} where bucket >= 0) ranked group by ${key}`;
