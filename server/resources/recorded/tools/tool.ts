import type { Build } from "../../../read/entity.ts";
import { bind, column, organization } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { computedRow } from "../computed-row.ts";
import { groupsInRange } from "../failures/in-range.ts";
import { failureIssue } from "../failures/issue-link.ts";
import { bindParts, bucketCount, edgesOf } from "../range.ts";
import { isToolCall } from "../told.ts";
import { bandSql, bucketSql, middleSql } from "./buckets.ts";
import { hashOf, sessionCount } from "./sessions.ts";
import { BUCKETS, countedHours, eventsIn, isTruncated, percentiles, sources } from "./sources.ts";

/** Bounds of one query. */
const MAX_DAYS = 92;
const DEFAULT_BUCKETS = 56;

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
    },
    many: {
      buckets: {
        entity: "RecordedToolBucket",
        rows: (row) => `select t.*, t.position::text as id from jsonb_to_recordset(${column(row, "buckets")})
          t (at timestamptz, position integer, calls integer, failures integer, p50 float8, p95 float8, bands json)`,
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
    recordedTool: computedRow("RecordedTool", tool),
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
    columns: {
      id: "uuid",
      message: "text",
      count: "integer",
      sessions: "integer",
      users: "integer",
      firstAt: "timestamp",
      lastAt: "timestamp",
      eventId: "uuid",
      sessionId: "uuid",
      position: "integer",
    },
    one: { issue: failureIssue },
  },
};

/**
 * Raw SQL: a part of what the read planner writes. Adds up the hours of the tool, and the events of what is not counted
 * by the hour. `cells` holds the calls of each part of the range by bucket.
 */
function tool(build: Build, selection: Selection): string {
  const own = organization(build);
  const edges = edgesOf(build, selection, MAX_DAYS);
  const { from, to, hour, hourEnd } = edges;
  const key = `${selection.argumentIndex}.name`;
  const name = bind(build, key, "text", ({ args }) => plain(argsOf(selection, args).name));
  const parts = bindParts(build, selection, {
    mostDays: MAX_DAYS,
    wanted: (args) => bucketCount(args, DEFAULT_BUCKETS),
  });
  const wants = (field: string) => selection.children.some((child) => child.field === field);
  const isIt = `${isToolCall("e")} and e.primitive_name = ${name}`;
  const columns = "e.success, e.latency, e.timestamp, e.session_id";
  const groups = groupsInRange(own, edges, name);
  return `with ${sources(own, edges)},
    raw as materialized (${eventsIn(own, columns, isIt)}),
    hours as materialized (${countedHours(own, [hour, hourEnd], `h.tool = ${name}`)}),
    cells as materialized (select part, bucket, sum(calls)::bigint as calls, sum(failures)::bigint as failures from (
        select width_bucket(c.hour, ${parts}) as part, b.* from hours c ${BUCKETS}
        union all select width_bucket(timestamp, ${parts}), ${bucketSql("latency")}, count(*),
          count(*) filter (where not success) from raw group by 1, 2
      ) each_bucket group by 1, 2),
    sums as (select 1 as one, bucket, sum(calls) as calls, sum(failures) as failures from cells group by bucket),
    ranks as (${percentiles("sums", "one")}),
    part_ranks as (${percentiles("cells", "part")}),
    bands as (${banded("0")}),
    part_bands as materialized (${banded("part")}),
    courses as materialized (select part, sum(calls) as calls, sum(failures) as failures from cells group by part)${wants("failureGroups") ? groups.sql : ""}
    select ${name} as name, ${from} as from, ${to} as to, ${isTruncated(own)} as truncated,
      coalesce((select sum(calls) from courses), 0) as calls, coalesce((select sum(failures) from courses), 0) as failures,
      ${wants("sessions") ? sessionCount(`select unnest(sessions) as hash from hours union all select ${hashOf("session_id")} from raw`) : "0"} as sessions,
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

/** SQL of calls by band, of each part of the range or all of it. */
const banded = (part: string): string => `select ${part} as part, jsonb_object_agg(band, calls) as calls,
      jsonb_object_agg(band, failures) as failures
    from (select ${part}, ${bandSql("bucket")} as band, sum(calls) as calls, sum(failures) as failures from cells
      where bucket >= 0 group by ${part === "0" ? "2" : "1, 2"}) b group by ${part === "0" ? "()" : "part"}`;

/** SQL of the list of such counts, zeros included. */
const bandList = (counts: string): string =>
  `(select jsonb_agg(coalesce((${counts} ->> n::text)::int, 0) order by n) from generate_series(0, 11) n)`;

/** A name that no tool can have matches none. */
const plain = (name: unknown): string => String(name).replaceAll("\0", "\uFFFD");
