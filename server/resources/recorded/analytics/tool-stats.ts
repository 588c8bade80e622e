import type { Build } from "../../../read/entity.ts";
import { column, organization } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { computedRow } from "../computed-row.ts";
import { isToolCallSql } from "../kinds.ts";
import { bucketSql, middleSql } from "./buckets.ts";
import { bindEdges, bindParts, MAX_DAYS, rangeScans } from "./range.ts";
import {
  bucketCallsSql,
  buildUncountedEventsSql,
  type CountedRange,
  countedDays,
  countedHours,
  isTruncated,
  percentiles,
  reachParts,
  type StatementParts,
  withParts,
} from "./roll-up.ts";

/** Limits of a query. */
const MAX_TOOLS = 250;
/** Number of parts of a trend, unless the parts would be shorter than an hour. */
const PARTS = 24;

/** Root field `recordedToolStats`: calls, failures and latencies by tool in a range of time. */
export const recordedToolStats: Resource = {
  entity: {
    name: "RecordedToolStats",
    table: "",
    columns: { from: "timestamp", to: "timestamp", truncated: "boolean" },
    many: {
      tools: {
        entity: "RecordedToolStat",
        rows: (row) => `select t.*, t.name as id from jsonb_to_recordset(${column(row, "tools")})
          t (name text, position integer, calls integer, failures integer, p50 float8, p95 float8, p99 float8,
            trend json, "failureTrend" json)`,
      },
    },
  },
  values: {
    recordedToolStats: { scans: rangeScans, ...computedRow("RecordedToolStats", stats) },
  },
};

/** A tool in the range. */
export const recordedToolStat: Resource = {
  entity: {
    name: "RecordedToolStat",
    table: "",
    columns: {
      name: "text",
      calls: "integer",
      failures: "integer",
      p50: "float",
      p95: "float",
      p99: "float",
      trend: "json",
      failureTrend: "json",
      position: "integer",
    },
  },
};

/**
 * Raw SQL: a fragment for the read planner. Adds up whole days, the hours around them, the hours of changed days, and
 * the events that are not counted by the hour.
 */
function stats(build: Build, selection: Selection): string {
  const reach: CountedRange = { organization: organization(build), ...bindEdges(build, selection, MAX_DAYS) };
  const trend = wantsTrend(selection) ? trends(parts(build, selection)) : NO_TREND;
  return withParts(
    {
      ...reachParts(reach),
      raw: buildUncountedEventsSql(
        reach,
        "e.primitive_name as tool, e.success, e.latency, e.timestamp",
        isToolCallSql("e"),
      ),
      days: countedDays(reach),
      hours: countedHours(reach),
      ...SUMS,
      ...trend.parts,
    },
    `select ${reach.from} as from, ${reach.to} as to,
      ${isTruncated(reach)} or (select count(*) from tools) > ${MAX_TOOLS} as truncated,
      coalesce((select jsonb_agg(jsonb_build_object('name', t.tool, 'position', position, 'calls', calls,
        'failures', failures, 'p50', ${middleSql("p50")}, 'p95', ${middleSql("p95")}, 'p99', ${middleSql("p99")}${trend.values}))
        from tools t left join ranks r on r.tool = t.tool ${trend.join} where position <= ${MAX_TOOLS}), '[]') as tools`,
  );
}

/** Sums of the calls of each tool: by bucket, and in total, most called tool first. */
const SUMS: StatementParts = {
  sums: `select tool, bucket, sum(calls)::bigint as calls, sum(failures)::bigint as failures from (
        ${bucketCallsSql("days", "tool")} union all ${bucketCallsSql("hours", "tool")}
        union all select tool, ${bucketSql("latency")}, count(*), count(*) filter (where not success) from raw group by 1, 2
      ) cells group by tool, bucket`,
  ranks: percentiles("sums", "tool"),
  tools: `select s.*, row_number() over (order by calls desc, s.tool) as position
      from (select tool, sum(calls) as calls, sum(failures) as failures from sums group by tool) s`,
};

const wantsTrend = ({ children }: Selection): boolean =>
  children.some(({ field, children: tool }) => field === "tools" && tool.some((one) => /trend$/i.test(one.field)));

const parts = (build: Build, selection: Selection): string =>
  bindParts(build, selection, { mostDays: MAX_DAYS, wanted: () => PARTS });

/** Additions to the query for trends. Trends are computed only if requested. */
interface Trends {
  parts: StatementParts;
  join: string;
  values: string;
}

const NO_TREND: Trends = { parts: {}, join: "", values: "" };

/** The rows of days contain the calls of each hour, which suffice for trends. */
function trends(beginnings: string): Trends {
  const list = (counts: string) =>
    `(select jsonb_agg(coalesce((${counts}->>n::text)::int, 0) order by n) from generate_series(1, cardinality(${beginnings})) n)`;
  return {
    parts: {
      points: `select c.tool, c.day + (h.n - 1) * interval '1 hour' as at, h.calls, h.failures from days c
          cross join lateral unnest(c.hour_calls, c.hour_failures) with ordinality h (calls, failures, n) where h.calls > 0
        union all select tool, hour, calls, failures from hours
        union all select tool, timestamp, 1, (not success)::int from raw`,
      trends: `select tool, jsonb_object_agg(part, calls) as calls_by, jsonb_object_agg(part, failures) as failures_by
        from (select tool, width_bucket(at, ${beginnings}) as part, sum(calls) as calls, sum(failures) as failures
          from points group by 1, 2) p group by 1`,
    },
    join: "join trends d on d.tool = t.tool",
    values: `, 'trend', ${list("calls_by")}, 'failureTrend', ${list("failures_by")}`,
  };
}
