import type { RangeEdges } from "./range.ts";

/**
 * Maximum number of events of marked hours that a query reads, newest first, until all restored events have been
 * counted once.
 */
const MAX_UNCOUNTED = 200_000;

/** Named parts of a statement, as SQL. Each part may read earlier parts. */
export type StatementParts = Readonly<Record<string, string>>;

/** SQL for a statement with named parts. Each part runs only once. */
export const withParts = (parts: StatementParts, statement: string): string =>
  `with ${Object.entries(parts)
    .map(([name, sql]) => `${name} as materialized (${sql})`)
    .join(",\n    ")}
  ${statement}`;

/** SQL for the day of a time, in UTC. */
export const daySql = (at: string): string => `date_trunc('day', ${at}, 'UTC')`;

/** A range of time of an organization, in SQL. Only this file splits a range into whole days, hours, and events. */
export interface CountedRange extends RangeEdges {
  organization: string;
}

/**
 * Raw SQL, like all SQL in this folder: fragments for the read planner. Returns the parts that the rest of this file
 * reads: the ends of the range that are no whole hours; the `marked` hours, in which events were added or removed
 * since the last count; and the maximum number of events to read, if limited.
 */
export const reachParts = ({ organization, from, to, hour, hourEnd }: CountedRange): StatementParts => ({
  ends: `select ${from} as since, ${hour} as until union all select ${hourEnd}, ${to}`,
  marked: `select hour, hour as since, hour + interval '1 hour' as until from recorded_mark
      where organization_id = ${organization} and hour >= ${hour} and hour < ${hourEnd} group by hour order by hour desc`,
  bound: `select case when not exists (select from recorded_rollup where organization_id = ${organization} and counted)
      then ${MAX_UNCOUNTED} end as most`,
});

/** SQL for columns of the events `e` that must be read individually and satisfy a condition. */
export const buildUncountedEventsSql = (reach: CountedRange, columns: string, condition: string): string =>
  `select e.* from ends s ${eventsOf(reach, columns, condition)}
    union all (select e.* from marked s ${eventsOf(reach, columns, condition)} limit (select most from bound))`;

/** SQL condition: more events wait to be counted than the query reads. */
export const isTruncated = (reach: CountedRange): string => `((select most from bound) is not null
    and exists (select from marked s ${eventsOf(reach, "", "true")} offset ${MAX_UNCOUNTED} limit 1))`;

/**
 * OFFSET 0 makes the planner find the events of each time `s` by the index on time, instead of joining all events:
 * ingest-plans.test ("tool stats") fails without OFFSET 0.
 */
const eventsOf = ({ organization }: CountedRange, columns: string, condition: string): string =>
  `cross join lateral (select ${columns} from recorded_event e where e.organization_id = ${organization}
      and e.timestamp >= s.since and e.timestamp < s.until and ${condition} offset 0) e`;

/** SQL condition: an hour is read from the roll-up. */
export const isCounted = (hour: string): string => `${hour} not in (select hour from marked)`;

/** SQL for the rows `d` of recorded_tool_day that satisfy a condition and whose day contains no marked hour. */
export const countedDays = ({ organization, day, dayEnd }: CountedRange, condition = "true"): string =>
  `select d.* from recorded_tool_day d where d.organization_id = ${organization} and d.day >= ${day} and d.day < ${dayEnd}
      and d.day not in (select ${daySql("hour")} from marked) and ${condition}`;

/** SQL for the rows `h` of recorded_tool_hour outside these days. */
export const countedHours = ({ organization, hour, hourEnd, day, dayEnd }: CountedRange): string =>
  `select h.* from (select ${hour} as since, ${day} as until union all select ${dayEnd}, ${hourEnd}
      union all select distinct ${daySql("hour")}, ${daySql("hour")} + interval '1 day' from marked
        where hour >= ${day} and hour < ${dayEnd}) s
    cross join lateral (select h.* from recorded_tool_hour h where h.organization_id = ${organization}
      and h.hour >= s.since and h.hour < s.until and ${isCounted("h.hour")}) h`;

/**
 * SQL for all counted hours of a tool. `spellings` is SQL for the list of the tool's spellings. Tool and hour are
 * compared as pairs, so that only the primary key matches: if the planner estimated few hours, it read the hours of
 * all tools.
 */
export const countedHoursSql = ({ organization, hour, hourEnd }: CountedRange, spellings: string): string =>
  `select h.*, ${daySql("h.hour")} as day from unnest(${spellings}) as t (name)
    cross join lateral (select h.* from recorded_tool_hour h where h.organization_id = ${organization}
      and (h.tool, h.hour) >= (t.name, ${hour}) and (h.tool, h.hour) < (t.name, ${hourEnd}) and ${isCounted("h.hour")} offset 0) h`;

/** SQL for the calls by bucket from rows of either table, with a column. A minus subtracts the calls. */
export const bucketCallsSql = (rows: string, column: string, minus = ""): string =>
  `select ${column}, unnest(buckets) as bucket, ${minus}unnest(bucket_calls) as calls,
    ${minus}unnest(bucket_failures) as failures from ${rows}`;

/**
 * SQL for percentiles from sums of calls by bucket: for each key, the bucket that contains the percentile of calls
 * with a latency. Both parameters are names in `sums`.
 */
export const percentiles = (sums: string, key: string): string => `select ${key},
      min(bucket) filter (where upto >= 0.5 * timed) as p50, min(bucket) filter (where upto >= 0.95 * timed) as p95,
      min(bucket) filter (where upto >= 0.99 * timed) as p99
    from (select ${key}, bucket, sum(calls) over (partition by ${key} order by bucket) as upto,
        sum(calls) over (partition by ${key}) as timed from ${sums} where bucket >= 0) ranked group by ${key}`;
