import type { Edges } from "./range.ts";

/** Events that are not counted yet of which a query reads the newest. */
export const MAX_UNCOUNTED = 200_000;

/** SQL of the day of a moment, in UTC. */
export const dayOf = (at: string): string => `date_trunc('day', ${at}, 'UTC')`;

/**
 * Raw SQL, as all of this folder: parts of what the read planner writes. Common table expressions that say what of a
 * range has to be read from events: its ends, which are no whole hours; hours in which something was stored or taken away
 * since they were counted (`marked`); and what is older than what is counted at all, before `counted`.
 */
export const sources = (organization: string, { from, to, hour, hourEnd }: Edges): string => `
    counted as materialized (select coalesce((select uncounted_before from recorded_rollup
      where organization_id = ${organization}), 'infinity') as since),
    marked as materialized (select distinct hour from recorded_mark
      where organization_id = ${organization} and hour >= ${hour} and hour < ${hourEnd}),
    spans as materialized (
      select ${from} as since, ${hour} as until
      union all select ${hourEnd}, ${to}
      union all select m.hour, m.hour + interval '1 hour' from marked m, counted c where m.hour >= c.since),
    uncounted as materialized (select ${hour} as since, least(c.since, ${hourEnd}) as until from counted c where c.since > ${hour})`;

/** SQL of columns of the events in those parts, as `e`, of which a condition holds; of old ones that nobody counted the newest. */
export const eventsIn = (organization: string, columns: string, condition: string): string => {
  const reach = `recorded_event e where e.organization_id = ${organization}
      and e.timestamp >= s.since and e.timestamp < s.until and ${condition}`;
  // OFFSET 0 keeps the planner from joining all events with the parts: each part is looked up in the index of time.
  return `select e.* from spans s cross join lateral (select ${columns} from ${reach} offset 0) e
    union all (select e.* from uncounted s cross join lateral (select ${columns} from ${reach}
      order by e.timestamp desc limit ${MAX_UNCOUNTED}) e)`;
};

/** SQL of whether more events than that are not counted yet. */
export const isTruncated = (organization: string): string => `exists (select from uncounted s cross join lateral (
    select from recorded_event e where e.organization_id = ${organization}
      and e.timestamp >= s.since and e.timestamp < s.until offset ${MAX_UNCOUNTED} limit 1) e)`;

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
    and (h.hour >= (select since from counted)) is true and h.hour not in (select hour from marked)`;

/** SQL of the rows of recorded_tool_day, as `d`, of whole days in which nothing changed and of which a condition holds. */
export const countedDays = (organization: string, { day, dayEnd }: Edges, condition: string) =>
  `select d.* from recorded_tool_day d where d.organization_id = ${organization} and d.day >= ${day} and d.day < ${dayEnd}
    and (d.day >= (select since from counted)) is true and d.day not in (select ${dayOf("hour")} from marked) and ${condition}`;

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
