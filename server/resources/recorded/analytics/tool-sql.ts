import type { Build } from "../../../read/entity.ts";
import { bind, organization } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";
import { isToolCall } from "../told.ts";
import { bandSql, bucketSql, middleSql } from "./buckets.ts";
import { groupsInRange } from "./groups-in-range.ts";
import { bindParts, bucketCount, edgesOf, MAX_DAYS } from "./range.ts";
import { hashOf, sessionCount } from "./session-hashes.ts";
import { countedDays, countedHoursOf, dayOf, eventsIn, isTruncated, percentiles, sources } from "./sources.ts";

/** Bounds of one query. */
const DEFAULT_BUCKETS = 56;

/**
 * Raw SQL: a part of what the read planner writes. Adds up the days of the tool, the hours that its days are not made of or
 * that belong to another part of the range than their day, and the events of what is not counted by the hour. `cells` holds the calls of each part of the range by bucket.
 */
export function tool(build: Build, selection: Selection): string {
  const own = organization(build);
  const edges = edgesOf(build, selection, MAX_DAYS);
  const { from, to } = edges;
  const key = `${selection.argumentIndex}.name`;
  const name = bind(build, key, "text", ({ args }) => plain(argsOf(selection, args).name));
  const parts = bindParts(build, selection, {
    mostDays: MAX_DAYS,
    wanted: (args) => bucketCount(args, DEFAULT_BUCKETS),
  });
  const partOfDay = (day: string) => `width_bucket(${day} + interval '12 hours', ${parts})`;
  const wants = (field: string) => selection.children.some((child) => child.field === field);
  const isIt = `${isToolCall("e")} and e.primitive_name = ${name}`;
  const columns = "e.success, e.latency, e.timestamp, e.session_id";
  const groups = groupsInRange(own, edges, name);
  return `with ${sources(own, edges)},
    raw as materialized (${eventsIn(own, columns, isIt)}),
    days as materialized (select d.*, ${partOfDay("d.day")} as part
      from (${countedDays(own, edges, `d.tool = ${name}`)}) d
      where width_bucket(d.day + interval '23 hours', ${parts}) <= width_bucket(d.day, ${parts}) + 1),
    hours as materialized (select h.*, width_bucket(h.hour, ${parts}) as part,
        case when h.day in (select day from days) then ${partOfDay("h.day")} end as part_of_day
      from (select h.*, ${dayOf("h.hour")} as day from (${countedHoursOf(own, name, edges)}) h offset 0) h),
    cells as materialized (select part, bucket, sum(calls)::float8 as calls, sum(failures)::float8 as failures from (
        ${PLACED}
        union all select width_bucket(timestamp, ${parts}), ${bucketSql("latency")}, count(*)::integer,
          (count(*) filter (where not success))::integer from raw group by 1, 2
      ) each_bucket group by 1, 2 having sum(calls) > 0),
    sums as (select 1 as one, bucket, sum(calls) as calls, sum(failures) as failures from cells group by bucket),
    ranks as (${percentiles("sums", "one")}),
    part_ranks as (${percentiles("cells", "part")}),
    band_cells as materialized (select part, ${bandSql("bucket")} as band, sum(calls) as calls, sum(failures) as failures
      from cells where bucket >= 0 group by 1, 2),
    bands as (select jsonb_object_agg(band, calls) as calls, jsonb_object_agg(band, failures) as failures
      from (select band, sum(calls) as calls, sum(failures) as failures from band_cells group by band) b),
    part_bands as materialized (select part, jsonb_object_agg(band, calls) as calls from band_cells group by part),
    courses as materialized (select part, sum(calls) as calls, sum(failures) as failures from cells group by part)${wants("failureGroups") ? groups.sql : ""}
    select ${name} as name, ${from} as from, ${to} as to, ${isTruncated(own)} as truncated,
      coalesce((select sum(calls) from courses), 0) as calls, coalesce((select sum(failures) from courses), 0) as failures,
      ${wants("sessions") ? sessionCount(`select sessions as hashes from hours union all select array_agg(distinct ${hashOf("session_id")}) from raw`) : "0"} as sessions,
      (select ${middleSql("p50")} from ranks) as p50, (select ${middleSql("p95")} from ranks) as p95,
      (select ${middleSql("p99")} from ranks) as p99,
      ${bandList("(select calls from bands)")} as "bandCalls", ${bandList("(select failures from bands)")} as "bandFailures",
      ${wants("failureGroups") ? groups.json : "'[]'::jsonb"} as groups,
      (select jsonb_agg(jsonb_build_object('at', p.at, 'position', p.n, 'calls', coalesce(o.calls, 0),
          'failures', coalesce(o.failures, 0), 'p50', ${middleSql("r.p50")}, 'p95', ${middleSql("r.p95")},
          'bands', ${bandList("b.calls")}) order by p.n)
       from unnest(${parts}) with ordinality p (at, n) left join courses o on o.part = p.n
       left join part_ranks r on r.part = p.n left join part_bands b on b.part = p.n) as buckets`;
}

/**
 * SQL of calls by part of the range and bucket, from `days` and `hours`. A day is in the part of its noon; its hours in
 * another part are taken away there and added to their own, which are few beside all hours of it: a day that lies in more
 * than two parts is read by its hours.
 */
const PLACED = `select part, bucket, sign * calls as calls, sign * failures as failures
        from (select part, sign, unnest(buckets) as bucket, unnest(bucket_calls) as calls, unnest(bucket_failures) as failures
          from (select part, 1 as sign, buckets, bucket_calls, bucket_failures from days
            union all select part, 1, buckets, bucket_calls, bucket_failures from hours where part is distinct from part_of_day
            union all select part_of_day, -1, buckets, bucket_calls, bucket_failures from hours where part <> part_of_day) p) b`;

/** SQL of the list of such counts, zeros included. */
const bandList = (counts: string): string =>
  `(select jsonb_agg(coalesce((${counts} ->> n::text)::int, 0) order by n) from generate_series(0, 11) n)`;

/** A name that no tool can have matches none. */
const plain = (name: unknown): string => String(name).replaceAll("\0", "\uFFFD");
