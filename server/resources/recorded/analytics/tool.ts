import type { Build } from "../../../read/entity.ts";
import { bind, column, listedRows, organization, shapeOf } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { computedRow } from "../computed-row.ts";
import { knownGroup } from "../failures/comparison.ts";
import { isToolCall } from "../kinds.ts";
import { bandSql, bucketSql, middleSql } from "./buckets.ts";
import { failureColumns, failureIssue } from "./group.ts";
import { GROUP_COUNT, GROUPS_JSON, groupsInRange } from "./groups-in-range.ts";
import { bindEdges, bindParts, bucketCount, MAX_DAYS, rangeScans } from "./range.ts";
import {
  bucketsOf,
  countedDays,
  countedHoursOf,
  eventsIn,
  isTruncated,
  type Parts,
  percentiles,
  type Reach,
  reachParts,
  withParts,
} from "./roll-up.ts";
import { hashOf, sessionCount } from "./session-hashes.ts";

/** Bounds of one query. */
const DEFAULT_BUCKETS = 56;

/**
 * Raw SQL: a part of what the read planner writes. Adds up the days of the tool, hours beside them, and the events of
 * what is not counted by the hour.
 */
function tool(build: Build, selection: Selection): string {
  const reach: Reach = { organization: organization(build), ...bindEdges(build, selection, MAX_DAYS) };
  const key = `${selection.argumentIndex}.name`;
  const name = bind(build, key, "text", ({ args }) => plain(argsOf(selection, args).name));
  const beginnings = bindParts(build, selection, {
    mostDays: MAX_DAYS,
    wanted: (args) => bucketCount(args, DEFAULT_BUCKETS),
  });
  const wants = (field: string) => selection.children.some((child) => child.field === field);
  const asksGroups = wants("failureGroups") || wants("failureGroupCount");
  return withParts(
    {
      ...reachParts(reach),
      ...callParts(reach, name, beginnings),
      ...SUMS,
      ...(asksGroups && groupsInRange(reach, name, onlyGroup(build, selection))),
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

/** The id of the one group of failures that is asked for, as a parameter; undefined for those that happened most. */
function onlyGroup(build: Build, selection: Selection): string | undefined {
  if (!shapeOf(build, selection).failureGroupId) return undefined;
  return bind(build, `${selection.argumentIndex}.failureGroupId`, "uuid", ({ args }) =>
    knownGroup(argsOf(selection, args).failureGroupId),
  );
}

/** The part of a range that is all of it: the others are counted from 1. */
const WHOLE = 0;

/**
 * The calls in the range by its parts and by bucket. A day counts in the part of its noon. Its hours in another part are
 * added there, and taken away here: they are few beside all its hours. A day of more than two parts is read by its hours.
 */
function callParts(reach: Reach, name: string, beginnings: string): Parts {
  const partOf = (at: string) => `width_bucket(${at}, ${beginnings})`;
  const noonOf = (day: string) => `${day} + interval '12 hours'`;
  const ofTwo = `${partOf("d.day + interval '23 hours'")} <= ${partOf("d.day")} + 1`;
  const isCall = `${isToolCall("e")} and e.primitive_name = ${name}`;
  return {
    raw: eventsIn(reach, "e.success, e.latency, e.timestamp, e.session_id", isCall),
    days: `select d.*, ${partOf(noonOf("d.day"))} as part from (${countedDays(reach, `d.tool = ${name}`)}) d where ${ofTwo}`,
    hours: `select h.*, ${partOf("h.hour")} as part,
        case when h.day in (select day from days) then ${partOf(noonOf("h.day"))} end as part_of_day
      from (${countedHoursOf(reach, name)}) h`,
    part_cells: `select part, bucket, sum(calls)::float8 as calls, sum(failures)::float8 as failures from (
        ${bucketsOf("days", "part")}
        union all ${bucketsOf("hours where part is distinct from part_of_day", "part")}
        union all ${bucketsOf("hours where part <> part_of_day", "part_of_day", "-")}
        union all select ${partOf("timestamp")}, ${bucketSql("latency")}, count(*)::integer,
          (count(*) filter (where not success))::integer from raw group by 1, 2
      ) placed group by 1, 2 having sum(calls) > 0`,
  };
}

/** Sums of the calls, of each part of the range and of all of it: by bucket, by band of latency, and alone. */
const SUMS: Parts = {
  cells: `select * from part_cells
    union all select ${WHOLE}, bucket, sum(calls), sum(failures) from part_cells group by bucket`,
  sums: "select part, sum(calls) as calls, sum(failures) as failures from cells group by part",
  ranks: percentiles("cells", "part"),
  bands: `select part, jsonb_object_agg(band, calls) as calls, jsonb_object_agg(band, failures) as failures
    from (select part, ${bandSql("bucket")} as band, sum(calls) as calls, sum(failures) as failures
      from cells where bucket >= 0 group by 1, 2) b group by part`,
};

/** SQL that joins them with a part `p`. */
const OF_PART = `left join sums c on c.part = p.part left join ranks r on r.part = p.part left join bands b on b.part = p.part`;

const SESSIONS = sessionCount(
  `select sessions as hashes from hours union all select array_agg(distinct ${hashOf("session_id")}) from raw`,
);

/** SQL of the list of the counts of bands, zeros included. */
const bandList = (counts: string): string =>
  `(select jsonb_agg(coalesce((${counts} ->> n::text)::int, 0) order by n) from generate_series(0, 11) n)`;

/** SQL of the parts of the range, in their order. */
const bucketsJson = (beginnings: string): string =>
  `(select jsonb_agg(jsonb_build_object('at', p.at, 'position', p.part, 'calls', coalesce(c.calls, 0),
      'failures', coalesce(c.failures, 0), 'p50', ${middleSql("r.p50")}, 'p95', ${middleSql("r.p95")},
      'bands', ${bandList("b.calls")}) order by p.part)
    from unnest(${beginnings}) with ordinality p (at, part) ${OF_PART})`;

/** A name that no tool can have matches none. */
const plain = (name: unknown): string => String(name).replaceAll("\0", "\uFFFD");

/** Root field `recordedTool`: one tool in a range of time: its course, its latencies, and what its failures say. */
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

/** The calls in one part of the range. */
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

/** Failures of the tool that say the same. */
export const recordedToolFailureGroup: Resource = {
  entity: {
    name: "RecordedToolFailureGroup",
    table: "",
    columns: { ...failureColumns, position: "integer" },
    one: { issue: failureIssue },
  },
};
