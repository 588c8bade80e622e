import type { RangeEdges } from "./range.ts";

/**
 * Maximum number of events that a query reads from marked hours, newest hours first. The limit applies only until all
 * events of the organization have been counted once, as after a restore.
 */
const MAX_UNCOUNTED = 200_000;

/** SQL for the named CTEs of a statement. Each CTE may read earlier CTEs. */
export type StatementCtes = Readonly<Record<string, string>>;

/** Returns SQL for a statement with CTEs. PostgreSQL runs each CTE only once, because the CTEs are `materialized`. */
export const statementWithCtesSql = (parts: StatementCtes, statement: string): string =>
  `with ${Object.entries(parts)
    .map(([name, sql]) => `${name} as materialized (${sql})`)
    .join(",\n    ")}
  ${statement}`;

/** SQL for the day of a time, in UTC. */
export const daySql = (at: string): string => `date_trunc('day', ${at}, 'UTC')`;

/**
 * SQL for an organization and for the limits of a time range. Only this file divides a range into days and hours that
 * are read from counts, and times that are read from events.
 */
export interface CountedRange extends RangeEdges {
  organization: string;
}

/**
 * Raw SQL, like all SQL in this folder: fragments for the read planner. Returns the CTEs that other functions in this
 * file read. `ends` contains the times outside the whole hours of the range (for a short range, the whole range);
 * `marked`, the hours in which events were added or removed since the last count; `bound`, the maximum number of events
 * to read, or null.
 */
export const countedRangeCtes = ({ organization, from, to, hour, hourEnd }: CountedRange): StatementCtes => ({
  ends: `select ${from} as since, ${hour} as until union all select ${hourEnd}, ${to}`,
  marked: `select hour, hour as since, hour + interval '1 hour' as until from recorded_mark
      where organization_id = ${organization} and hour >= ${hour} and hour < ${hourEnd} group by hour order by hour desc`,
  bound: `select case when not exists (select from recorded_rollup where organization_id = ${organization} and counted)
      then ${MAX_UNCOUNTED} end as most`,
});

/**
 * SQL for columns of the events `e` that satisfy a condition and must be read individually: events outside the whole
 * hours of the range (for a short range, all events), and events in marked hours.
 */
export const buildUncountedEventsSql = (reach: CountedRange, columns: string, condition: string): string =>
  `select e.* from ends s ${eventsOf(reach, columns, condition)}
    union all (select e.* from marked s ${eventsOf(reach, columns, condition)} limit (select most from bound))`;

/** SQL condition: more events wait to be counted than the query reads. */
export const isTruncatedSql = (reach: CountedRange): string => `((select most from bound) is not null
    and exists (select from marked s ${eventsOf(reach, "", "true")} offset ${MAX_UNCOUNTED} limit 1))`;

/**
 * OFFSET 0 makes the planner use the index on time to find the events of each time span `s`, instead of joining all
 * events. The test "tool stats" in ingest-plans.test fails without OFFSET 0.
 */
const eventsOf = ({ organization }: CountedRange, columns: string, condition: string): string =>
  `cross join lateral (select ${columns} from recorded_event e where e.organization_id = ${organization}
      and e.timestamp >= s.since and e.timestamp < s.until and ${condition} offset 0) e`;

/** SQL condition: an hour is not marked, so the stored counts of the hour are used. */
export const isCountedHourSql = (hour: string): string => `${hour} not in (select hour from marked)`;

/** SQL for the rows `d` of recorded_tool_day that satisfy a condition and whose day contains no marked hour. */
export const countedDayRowsSql = ({ organization, day, dayEnd }: CountedRange, condition = "true"): string =>
  `select d.* from recorded_tool_day d where d.organization_id = ${organization} and d.day >= ${day} and d.day < ${dayEnd}
      and d.day not in (select ${daySql("hour")} from marked) and ${condition}`;

/**
 * SQL for the rows `h` of recorded_tool_hour that `countedDayRowsSql` does not cover: unmarked hours before the first whole
 * day, after the last whole day, and on days with a marked hour.
 */
export const countedHourRowsSql = ({ organization, hour, hourEnd, day, dayEnd }: CountedRange): string =>
  `select h.* from (select ${hour} as since, ${day} as until union all select ${dayEnd}, ${hourEnd}
      union all select distinct ${daySql("hour")}, ${daySql("hour")} + interval '1 day' from marked
        where hour >= ${day} and hour < ${dayEnd}) s
    cross join lateral (select h.* from recorded_tool_hour h where h.organization_id = ${organization}
      and h.hour >= s.since and h.hour < s.until and ${isCountedHourSql("h.hour")}) h`;

/**
 * SQL for all counted hours of a tool. `spellings` is SQL for the list of the tool's spellings. Tool and hour are
 * compared as a pair, so that only the primary key fits: a planner that expected few hours read the hours of all tools.
 */
export const countedHoursOfToolSql = ({ organization, hour, hourEnd }: CountedRange, spellings: string): string =>
  `select h.*, ${daySql("h.hour")} as day from unnest(${spellings}) as t (name)
    cross join lateral (select h.* from recorded_tool_hour h where h.organization_id = ${organization}
      and (h.tool, h.hour) >= (t.name, ${hour}) and (h.tool, h.hour) < (t.name, ${hourEnd}) and ${isCountedHourSql("h.hour")} offset 0) h`;

/**
 * SQL for calls and failures per latency bucket, from rows of recorded_tool_hour or recorded_tool_day, together with
 * one column of the rows. With a minus sign, the numbers are negative.
 */
export const bucketCallsSql = (rows: string, column: string, minus = ""): string =>
  `select ${column}, unnest(buckets) as bucket, ${minus}unnest(bucket_calls) as calls,
    ${minus}unnest(bucket_failures) as failures from ${rows}`;

/**
 * SQL for the percentiles 50, 95 and 99 of latency: for each key, the bucket that contains the percentile. `sums` is
 * the CTE with the calls per bucket, and `key` is a column of the CTE. Calls without a latency do not count.
 */
export const latencyPercentilesSql = (sums: string, key: string): string => `select ${key},
      min(bucket) filter (where upto >= 0.5 * timed) as p50, min(bucket) filter (where upto >= 0.95 * timed) as p95,
      min(bucket) filter (where upto >= 0.99 * timed) as p99
    from (select ${key}, bucket, sum(calls) over (partition by ${key} order by bucket) as upto,
        sum(calls) over (partition by ${key}) as timed from ${sums} where bucket >= 0) ranked group by ${key}`;
