import { listSpellings } from "../../../../formats/names.ts";
import type { Build } from "../../../read/entity.ts";
import { bind, column, listedRows, organization, readShape } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { computedRow } from "../computed-row.ts";
import { readGroupId } from "../failures/comparison.ts";
import { isToolCallSql } from "../kinds.ts";
import { bandSql, bucketSql, middleSql } from "./buckets.ts";
import { failureColumns, failureIssue } from "./group.ts";
import { GROUP_COUNT, GROUPS_JSON, groupsInRange } from "./groups-in-range.ts";
import { bindEdges, bindParts, bucketCount, MAX_DAYS, rangeScans } from "./range.ts";
import {
  bucketCallsSql,
  buildUncountedEventsSql,
  type CountedRange,
  countedDays,
  countedHoursSql,
  isTruncated,
  percentiles,
  reachParts,
  type StatementParts,
  withParts,
} from "./roll-up.ts";
import { distinctSessionsSql, sessionHashSql } from "./session-hashes.ts";

/** Limits of a query. */
const DEFAULT_BUCKETS = 56;

/**
 * Raw SQL: a fragment for the read planner. Adds up the tool's days, further hours, and the events that are not
 * counted by the hour.
 */
function tool(build: Build, selection: Selection): string {
  const reach: CountedRange = { organization: organization(build), ...bindEdges(build, selection, MAX_DAYS) };
  const key = `${selection.argumentIndex}.name`;
  const name = bind(build, key, "text", ({ args }) => plain(selectedArguments(selection, args).name));
  const spellings = bind(build, `${key}.spellings`, "text[]", ({ args }) =>
    listSpellings(plain(selectedArguments(selection, args).name)),
  );
  const beginnings = bindParts(build, selection, {
    mostDays: MAX_DAYS,
    wanted: (args) => bucketCount(args, DEFAULT_BUCKETS),
  });
  const wants = (field: string) => selection.children.some((child) => child.field === field);
  const asksGroups = wants("failureGroups") || wants("failureGroupCount");
  return withParts(
    {
      ...reachParts(reach),
      ...callParts(reach, spellings, beginnings),
      ...SUMS,
      ...(asksGroups && groupsInRange(reach, spellings, onlyGroup(build, selection))),
    },
    `select ${name} as name, ${reach.from} as from, ${reach.to} as to, ${isTruncated(reach)} as truncated,
      coalesce(c.calls, 0) as calls, coalesce(c.failures, 0) as failures, ${wants("sessions") ? SESSIONS : "0"} as sessions,
      ${middleSql("r.p50")} as p50, ${middleSql("r.p95")} as p95, ${middleSql("r.p99")} as p99,
      ${bandList("b.calls")} as "bandCalls", ${bandList("b.failures")} as "bandFailures",
      ${asksGroups ? GROUP_COUNT : "0"} as "failureGroupCount",
      ${wants("failureGroups") ? GROUPS_JSON : "'[]'::jsonb"} as groups, ${bucketsJson(beginnings)} as buckets
    from (select ${WHOLE} as part) p ${OF_PART}`,
  );
}

/** Returns the parameter for the requested failure group; undefined for the most frequent groups. */
function onlyGroup(build: Build, selection: Selection): string | undefined {
  if (!readShape(build, selection).failureGroupId) return undefined;
  return bind(build, `${selection.argumentIndex}.failureGroupId`, "uuid", ({ args }) =>
    readGroupId(selectedArguments(selection, args).failureGroupId),
  );
}

/** Number of the part that stands for the whole range. Other parts are numbered from 1. */
const WHOLE = 0;

/**
 * Calls in the range by part and by bucket. A day counts in the part that contains its noon. Hours of the day in
 * another part are added to that part and subtracted here, because such hours are few. A day that spans more than two
 * parts is read by the hour.
 */
function callParts(reach: CountedRange, spellings: string, beginnings: string): StatementParts {
  const partOf = (at: string) => `width_bucket(${at}, ${beginnings})`;
  const noonOf = (day: string) => `${day} + interval '12 hours'`;
  const ofTwo = `${partOf("d.day + interval '23 hours'")} <= ${partOf("d.day")} + 1`;
  const isCall = `${isToolCallSql("e")} and e.primitive_name = any(${spellings})`;
  return {
    raw: buildUncountedEventsSql(reach, "e.success, e.latency, e.timestamp, e.session_id", isCall),
    days: `select d.*, ${partOf(noonOf("d.day"))} as part from (${countedDays(reach, `d.tool = any(${spellings})`)}) d where ${ofTwo}`,
    hours: `select h.*, ${partOf("h.hour")} as part,
        case when h.day in (select day from days) then ${partOf(noonOf("h.day"))} end as part_of_day
      from (${countedHoursSql(reach, spellings)}) h`,
    part_cells: `select part, bucket, sum(calls)::float8 as calls, sum(failures)::float8 as failures from (
        ${bucketCallsSql("days", "part")}
        union all ${bucketCallsSql("hours where part is distinct from part_of_day", "part")}
        union all ${bucketCallsSql("hours where part <> part_of_day", "part_of_day", "-")}
        union all select ${partOf("timestamp")}, ${bucketSql("latency")}, count(*)::integer,
          (count(*) filter (where not success))::integer from raw group by 1, 2
      ) placed group by 1, 2 having sum(calls) > 0`,
  };
}

/** Sums of the calls of each part and of the whole range: by bucket, by band of latency, and in total. */
const SUMS: StatementParts = {
  cells: `select * from part_cells
    union all select ${WHOLE}, bucket, sum(calls), sum(failures) from part_cells group by bucket`,
  sums: "select part, sum(calls) as calls, sum(failures) as failures from cells group by part",
  ranks: percentiles("cells", "part"),
  bands: `select part, jsonb_object_agg(band, calls) as calls, jsonb_object_agg(band, failures) as failures
    from (select part, ${bandSql("bucket")} as band, sum(calls) as calls, sum(failures) as failures
      from cells where bucket >= 0 group by 1, 2) b group by part`,
};

/** SQL that joins the sums with a part `p`. */
const OF_PART = `left join sums c on c.part = p.part left join ranks r on r.part = p.part left join bands b on b.part = p.part`;

const SESSIONS = distinctSessionsSql(
  `select sessions as hashes from hours union all select array_agg(distinct ${sessionHashSql("session_id")}) from raw`,
);

/** SQL for the list of the bands' counts, including zeros. */
const bandList = (counts: string): string =>
  `(select jsonb_agg(coalesce((${counts} ->> n::text)::int, 0) order by n) from generate_series(0, 11) n)`;

/** SQL for the parts of the range, in order. */
const bucketsJson = (beginnings: string): string =>
  `(select jsonb_agg(jsonb_build_object('at', p.at, 'position', p.part, 'calls', coalesce(c.calls, 0),
      'failures', coalesce(c.failures, 0), 'p50', ${middleSql("r.p50")}, 'p95', ${middleSql("r.p95")},
      'bands', ${bandList("b.calls")}) order by p.part)
    from unnest(${beginnings}) with ordinality p (at, part) ${OF_PART})`;

/** A NUL cannot occur in a tool's name, so the name matches no tool. */
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
        rows: listedRows(
          "buckets",
          "at timestamptz, calls integer, failures integer, p50 float8, p95 float8, bands json",
        ),
      },
      failureGroups: {
        entity: "RecordedToolFailureGroup",
        rows: (row) => `select t.* from jsonb_to_recordset(${column(row, "groups")})
          t (id uuid, position integer, message text, count integer, sessions integer, users integer,
            "firstAt" timestamptz, "lastAt" timestamptz, "eventId" uuid, "sessionId" uuid)`,
      },
    },
  },
  values: {
    recordedTool: { scans: rangeScans, ...computedRow("RecordedTool", tool) },
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
