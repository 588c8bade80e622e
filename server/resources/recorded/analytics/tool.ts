import { listSpellings } from "../../../../formats/names.ts";
import type { StatementBuild } from "../../../read/entity.ts";
import { bindOrganization, bindParameter, columnSql, getArgumentShape, jsonListRowsSql } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { createComputedRowField } from "../computed-row.ts";
import { readGroupId } from "../failures/comparison.ts";
import { isToolCallSql } from "../kinds.ts";
import { latencyBandSql, latencyBucketMiddleSql, latencyBucketSql } from "./buckets.ts";
import { failureColumns, failureIssue } from "./group.ts";
import { FAILURE_GROUP_COUNT_SQL, FAILURE_GROUPS_JSON_SQL, failureGroupsInRangeCtes } from "./groups-in-range.ts";
import { bindEdges, bindRangePartStarts, computeTimeRangeCost, MAX_RANGE_DAYS, parseBucketCount } from "./range.ts";
import {
  bucketCallsSql,
  buildUncountedEventsSql,
  type CountedRange,
  countedDayRowsSql,
  countedHoursOfToolSql,
  countedRangeCtes,
  isTruncatedSql,
  latencyPercentilesSql,
  type StatementCtes,
  statementWithCtesSql,
} from "./roll-up.ts";
import { distinctSessionsSql, sessionHashSql } from "./session-hashes.ts";

/** Limits of a query. */
const DEFAULT_BUCKETS = 56;

/**
 * Raw SQL: a fragment for the read planner. Adds up the tool's counts of whole days and of other hours, and the events
 * that no count includes.
 */
function tool(build: StatementBuild, selection: Selection): string {
  const reach: CountedRange = { organization: bindOrganization(build), ...bindEdges(build, selection, MAX_RANGE_DAYS) };
  const key = `${selection.argumentIndex}.name`;
  const name = bindParameter(build, key, "text", ({ args }) => plain(selectedArguments(selection, args).name));
  const spellings = bindParameter(build, `${key}.spellings`, "text[]", ({ args }) =>
    listSpellings(plain(selectedArguments(selection, args).name)),
  );
  const beginnings = bindRangePartStarts(build, selection, {
    mostDays: MAX_RANGE_DAYS,
    wanted: (args) => parseBucketCount(args, DEFAULT_BUCKETS),
  });
  const wants = (field: string) => selection.children.some((child) => child.field === field);
  const asksGroups = wants("failureGroups") || wants("failureGroupCount");
  return statementWithCtesSql(
    {
      ...countedRangeCtes(reach),
      ...callParts(reach, spellings, beginnings),
      ...SUMS,
      ...(asksGroups && failureGroupsInRangeCtes(reach, spellings, onlyGroup(build, selection))),
    },
    `select ${name} as name, ${reach.from} as from, ${reach.to} as to, ${isTruncatedSql(reach)} as truncated,
      coalesce(c.calls, 0) as calls, coalesce(c.failures, 0) as failures, ${wants("sessions") ? SESSIONS : "0"} as sessions,
      ${latencyBucketMiddleSql("r.p50")} as p50, ${latencyBucketMiddleSql("r.p95")} as p95, ${latencyBucketMiddleSql("r.p99")} as p99,
      ${bandList("b.calls")} as "bandCalls", ${bandList("b.failures")} as "bandFailures",
      ${asksGroups ? FAILURE_GROUP_COUNT_SQL : "0"} as "failureGroupCount",
      ${wants("failureGroups") ? FAILURE_GROUPS_JSON_SQL : "'[]'::jsonb"} as groups, ${bucketsJson(beginnings)} as buckets
    from (select ${WHOLE} as part) p ${OF_PART}`,
  );
}

/**
 * Returns the SQL parameter for the failure group that the client requests. Undefined if the client requests the most
 * frequent groups.
 */
function onlyGroup(build: StatementBuild, selection: Selection): string | undefined {
  if (!getArgumentShape(build, selection).failureGroupId) return undefined;
  return bindParameter(build, `${selection.argumentIndex}.failureGroupId`, "uuid", ({ args }) =>
    readGroupId(selectedArguments(selection, args).failureGroupId),
  );
}

/** Number of the part that stands for the whole range. Other parts are numbered from 1. */
const WHOLE = 0;

/**
 * Calls in the range by part and by latency bucket. The calls of a day count in the part that contains the day's noon.
 * For the few hours of the day that lie in another part, the calls are subtracted from the part of the noon and added
 * to the other part. A day that spans more than two parts is read by the hour.
 */
function callParts(reach: CountedRange, spellings: string, beginnings: string): StatementCtes {
  const partOf = (at: string) => `width_bucket(${at}, ${beginnings})`;
  const noonOf = (day: string) => `${day} + interval '12 hours'`;
  const ofTwo = `${partOf("d.day + interval '23 hours'")} <= ${partOf("d.day")} + 1`;
  const isCall = `${isToolCallSql("e")} and e.primitive_name = any(${spellings})`;
  return {
    raw: buildUncountedEventsSql(reach, "e.success, e.latency, e.timestamp, e.session_id", isCall),
    days: `select d.*, ${partOf(noonOf("d.day"))} as part from (${countedDayRowsSql(reach, `d.tool = any(${spellings})`)}) d where ${ofTwo}`,
    hours: `select h.*, ${partOf("h.hour")} as part,
        case when h.day in (select day from days) then ${partOf(noonOf("h.day"))} end as part_of_day
      from (${countedHoursOfToolSql(reach, spellings)}) h`,
    part_cells: `select part, bucket, sum(calls)::float8 as calls, sum(failures)::float8 as failures from (
        ${bucketCallsSql("days", "part")}
        union all ${bucketCallsSql("hours where part is distinct from part_of_day", "part")}
        union all ${bucketCallsSql("hours where part <> part_of_day", "part_of_day", "-")}
        union all select ${partOf("timestamp")}, ${latencyBucketSql("latency")}, count(*)::integer,
          (count(*) filter (where not success))::integer from raw group by 1, 2
      ) placed group by 1, 2 having sum(calls) > 0`,
  };
}

/** Sums of the calls of each part and of the whole range: by bucket, by band of latency, and in total. */
const SUMS: StatementCtes = {
  cells: `select * from part_cells
    union all select ${WHOLE}, bucket, sum(calls), sum(failures) from part_cells group by bucket`,
  sums: "select part, sum(calls) as calls, sum(failures) as failures from cells group by part",
  ranks: latencyPercentilesSql("cells", "part"),
  bands: `select part, jsonb_object_agg(band, calls) as calls, jsonb_object_agg(band, failures) as failures
    from (select part, ${latencyBandSql("bucket")} as band, sum(calls) as calls, sum(failures) as failures
      from cells where bucket >= 0 group by 1, 2) b group by part`,
};

/** SQL that joins the sums, percentiles and bands of a part `p`. */
const OF_PART = `left join sums c on c.part = p.part left join ranks r on r.part = p.part left join bands b on b.part = p.part`;

const SESSIONS = distinctSessionsSql(
  `select sessions as hashes from hours union all select array_agg(distinct ${sessionHashSql("session_id")}) from raw`,
);

/** SQL for a JSON list with the count of each latency band, including zeros. */
const bandList = (counts: string): string =>
  `(select jsonb_agg(coalesce((${counts} ->> n::text)::int, 0) order by n) from generate_series(0, 11) n)`;

/** SQL for the parts of the range as a JSON list, in order of time. */
const bucketsJson = (beginnings: string): string =>
  `(select jsonb_agg(jsonb_build_object('at', p.at, 'position', p.part, 'calls', coalesce(c.calls, 0),
      'failures', coalesce(c.failures, 0), 'p50', ${latencyBucketMiddleSql("r.p50")}, 'p95', ${latencyBucketMiddleSql("r.p95")},
      'bands', ${bandList("b.calls")}) order by p.part)
    from unnest(${beginnings}) with ordinality p (at, part) ${OF_PART})`;

/** Replaces NUL characters, which PostgreSQL does not accept. No stored tool name contains a NUL. */
const plain = (name: unknown): string => String(name).replaceAll("\0", "\uFFFD");

/** Root field `recordedTool`: a tool in a range of time, with calls over time, latencies, and failure messages. */
export const recordedTool: Resource = {
  entity: {
    name: "RecordedTool",
    table: "",
    columns: {
      name: "text",
      from: "timestamp",
      to: "timestamp",
      truncated: "boolean",
      calls: "integer",
      failures: "integer",
      sessions: "integer",
      p50: "float",
      p95: "float",
      p99: "float",
      bandCalls: "json",
      bandFailures: "json",
      failureGroupCount: "integer",
    },
    many: {
      buckets: {
        entity: "RecordedToolBucket",
        rows: jsonListRowsSql(
          "buckets",
          "at timestamptz, calls integer, failures integer, p50 float8, p95 float8, bands json",
        ),
      },
      failureGroups: {
        entity: "RecordedToolFailureGroup",
        rows: (row) => `select t.* from jsonb_to_recordset(${columnSql(row, "groups")})
          t (id uuid, position integer, message text, count integer, sessions integer, users integer,
            "firstAt" timestamptz, "lastAt" timestamptz, "eventId" uuid, "sessionId" uuid)`,
      },
    },
  },
  values: {
    recordedTool: { scans: computeTimeRangeCost, ...createComputedRowField("RecordedTool", tool) },
  },
};

/** Calls in a part of the range. */
export const recordedToolBucket: Resource = {
  entity: {
    name: "RecordedToolBucket",
    table: "",
    columns: {
      at: "timestamp",
      calls: "integer",
      failures: "integer",
      p50: "float",
      p95: "float",
      bands: "json",
      position: "integer",
    },
  },
};

/** Equal failures of the tool. */
export const recordedToolFailureGroup: Resource = {
  entity: {
    name: "RecordedToolFailureGroup",
    table: "",
    columns: { ...failureColumns, position: "integer" },
    one: { issue: failureIssue },
  },
};
