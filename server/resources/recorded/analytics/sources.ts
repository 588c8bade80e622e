import type { Edges } from "./range.ts";

/** Events that are not counted yet of which a query reads the newest. */
export const MAX_UNCOUNTED = 200_000;

/** SQL of the day of a moment, in UTC. */
export const dayOf = (at: string): string => `date_trunc('day', ${at}, 'UTC')`;

/**
 * Raw SQL, as all of this folder: parts of what the read planner writes. Common table expressions of what of a range is
 * read from events: its ends, which are no whole hours, and hours in which something was stored or taken away since they
 * were counted (`marked`). Of those a query reads `most` events until all that was restored has been counted once.
 */
export const sources = (organization: string, { from, to, hour, hourEnd }: Edges): string => `
    bound as materialized (select case when not exists (select from recorded_rollup
      where organization_id = ${organization} and counted) then ${MAX_UNCOUNTED} end as most),
    ends as materialized (select ${from} as since, ${hour} as until union all select ${hourEnd}, ${to}),
    marked as materialized (select hour, hour as since, hour + interval '1 hour' as until from recorded_mark
      where organization_id = ${organization} and hour >= ${hour} and hour < ${hourEnd} group by hour order by hour desc)`;

/** SQL of columns of the events in those parts, as `e`, of which a condition holds: of the marked hours the newest. */
export const eventsIn = (organization: string, columns: string, condition: string): string => {
  // OFFSET 0 keeps the planner from joining all events with the parts: each part is looked up in the index of time.
  const each = `cross join lateral (select ${columns} from recorded_event e where e.organization_id = ${organization}
      and e.timestamp >= s.since and e.timestamp < s.until and ${condition} offset 0) e`;
  return `select e.* from ends s ${each}
    union all (select e.* from marked s ${each} limit (select most from bound))`;
};

/** SQL of whether more events than that are not counted yet. */
export const isTruncated = (organization: string): string => `((select most from bound) is not null
    and exists (select from marked s cross join lateral (select from recorded_event e
      where e.organization_id = ${organization} and e.timestamp >= s.since and e.timestamp < s.until offset 0) e
      offset ${MAX_UNCOUNTED} limit 1))`;

/** SQL of the rows of recorded_tool_hour, as `h`, that stand for the hours between two moments. */
export const countedHours = (organization: string, since: string, until: string): string =>
  hoursWhere(organization, `h.hour >= ${since} and h.hour < ${until}`);

/**
 * SQL of those of one tool. Tool and hour are compared as pairs, for which the key alone is of use: where the planner took
 * the hours for few, it read those of all tools.
 */
export const countedHoursOf = (organization: string, tool: string, { hour, hourEnd }: Edges): string =>
  hoursWhere(organization, `(h.tool, h.hour) >= (${tool}, ${hour}) and (h.tool, h.hour) < (${tool}, ${hourEnd})`);

const hoursWhere = (organization: string, condition: string): string =>
  `select h.* from recorded_tool_hour h where h.organization_id = ${organization} and ${condition}
    and h.hour not in (select hour from marked)`;

/** SQL of the rows of recorded_tool_day, as `d`, of whole days in which nothing changed and of which a condition holds. */
export const countedDays = (organization: string, { day, dayEnd }: Edges, condition: string) =>
  `select d.* from recorded_tool_day d where d.organization_id = ${organization} and d.day >= ${day} and d.day < ${dayEnd}
    and d.day not in (select ${dayOf("hour")} from marked) and ${condition}`;

/** SQL of the buckets of such rows, as `c`. */
export const BUCKETS =
  "cross join lateral unnest(c.buckets, c.bucket_calls, c.bucket_failures) b (bucket, calls, failures)";

/**
 * SQL that finds percentiles in sums of calls by bucket: of each key, the bucket in which so many of the calls with a
 * latency are reached. Both are names of columns of `sums`.
 */
export const percentiles = (sums: string, key: string): string => `select ${key},
      min(bucket) filter (where upto >= 0.5 * timed) as p50, min(bucket) filter (where upto >= 0.95 * timed) as p95,
      min(bucket) filter (where upto >= 0.99 * timed) as p99
    from (select ${key}, bucket, sum(calls) over (partition by ${key} order by bucket) as upto,
        sum(calls) over (partition by ${key}) as timed from ${sums} where bucket >= 0) ranked group by ${key}`;
