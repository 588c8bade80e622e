import type { StatementBuild } from "../../../read/entity.ts";
import { bindOrganization, columnSql } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { createComputedRowField } from "../computed-row.ts";
import { isToolCallSql } from "../kinds.ts";
import { latencyBucketMiddleSql, latencyBucketSql } from "./buckets.ts";
import { bindEdges, bindRangePartStarts, computeTimeRangeCost, MAX_RANGE_DAYS } from "./range.ts";
import {
  bucketCallsSql,
  buildUncountedEventsSql,
  type CountedRange,
  countedDayRowsSql,
  countedHourRowsSql,
  countedRangeCtes,
  isTruncatedSql,
  latencyPercentilesSql,
  type StatementCtes,
  statementWithCtesSql,
} from "./roll-up.ts";

/** Limits of a query. */
const MAX_TOOLS = 250;
/**
 * Number of parts of a trend. A range that is read from hourly counts has fewer parts if the parts would be shorter
 * than an hour.
 */
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
        rows: (row) => `select t.*, t.name as id from jsonb_to_recordset(${columnSql(row, "tools")})
          t (name text, position integer, calls integer, failures integer, p50 float8, p95 float8, p99 float8,
            trend json, "failureTrend" json)`,
      },
    },
  },
  values: {
    recordedToolStats: { scans: computeTimeRangeCost, ...createComputedRowField("RecordedToolStats", stats) },
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
 * Raw SQL: a fragment for the read planner. Adds up the counts of whole days, the counts of other hours (at the ends of
 * the range, and on days with a marked hour), and the events that no count includes.
 */
function stats(build: StatementBuild, selection: Selection): string {
  const reach: CountedRange = { organization: bindOrganization(build), ...bindEdges(build, selection, MAX_RANGE_DAYS) };
  const trend = wantsTrend(selection) ? trends(parts(build, selection)) : NO_TREND;
  return statementWithCtesSql(
    {
      ...countedRangeCtes(reach),
      raw: buildUncountedEventsSql(
        reach,
        "e.primitive_name as tool, e.success, e.latency, e.timestamp",
        isToolCallSql("e"),
      ),
      days: countedDayRowsSql(reach),
      hours: countedHourRowsSql(reach),
      ...SUMS,
      ...trend.parts,
    },
    `select ${reach.from} as from, ${reach.to} as to,
      ${isTruncatedSql(reach)} or (select count(*) from tools) > ${MAX_TOOLS} as truncated,
      coalesce((select jsonb_agg(jsonb_build_object('name', t.tool, 'position', position, 'calls', calls,
        'failures', failures, 'p50', ${latencyBucketMiddleSql("p50")}, 'p95', ${latencyBucketMiddleSql("p95")}, 'p99', ${latencyBucketMiddleSql("p99")}${trend.values}))
        from tools t left join ranks r on r.tool = t.tool ${trend.join} where position <= ${MAX_TOOLS}), '[]') as tools`,
  );
}

/** Sums of the calls of each tool: per latency bucket (`sums`), and in total (`tools`, most called tool first). */
const SUMS: StatementCtes = {
  sums: `select tool, bucket, sum(calls)::bigint as calls, sum(failures)::bigint as failures from (
        ${bucketCallsSql("days", "tool")} union all ${bucketCallsSql("hours", "tool")}
        union all select tool, ${latencyBucketSql("latency")}, count(*), count(*) filter (where not success) from raw group by 1, 2
      ) cells group by tool, bucket`,
  ranks: latencyPercentilesSql("sums", "tool"),
  tools: `select s.*, row_number() over (order by calls desc, s.tool) as position
      from (select tool, sum(calls) as calls, sum(failures) as failures from sums group by tool) s`,
};

const wantsTrend = ({ children }: Selection): boolean =>
  children.some(({ field, children: tool }) => field === "tools" && tool.some((one) => /trend$/i.test(one.field)));

const parts = (build: StatementBuild, selection: Selection): string =>
  bindRangePartStarts(build, selection, { mostDays: MAX_RANGE_DAYS, wanted: () => PARTS });

/** SQL that is added to the query if the client requests trends. */
interface Trends {
  parts: StatementCtes;
  join: string;
  values: string;
}

const NO_TREND: Trends = { parts: {}, join: "", values: "" };

/** The row of a day also contains the calls of each hour, so trends of whole days need no rows of hours. */
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
