import { inputError } from "../../errors.ts";
import type { Build } from "../../read/entity.ts";
import { textSql } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { bind, column, entityOf, newRow, organization } from "../../read/row.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import { isToolCall } from "./told.ts";
import { rangeOf } from "./tool-stats.ts";

/** Bounds of one query. */
const MAX_EVENTS = 200_000;
const MAX_FAILURES = 500;
const MAX_GROUPS = 50;
const MAX_BUCKETS = 200;
const DEFAULT_BUCKETS = 56;
/** Characters of a result in which its message is looked for, and those kept of it. */
const READ = 4_000;
const MESSAGE = 200;
/** Milliseconds at which one band of latency ends and the next begins. */
const EDGES = "array[10,30,100,300,1000,2000,5000,10000,30000,60000,120000]";

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
        entity: "RecordedFailureGroup",
        rows: (row) => `select t.*, t.message as id from jsonb_to_recordset(${column(row, "groups")})
          t (message text, position integer, count integer, sessions integer, "lastAt" timestamptz, "eventId" uuid,
            "sessionId" uuid)`,
      },
    },
  },
  values: {
    recordedTool: {
      sql(build, selection) {
        const row = newRow(build, entityOf(build, "RecordedTool"));
        const json = textSql(rowJson(row, selection.children));
        return `(select ${json} from (${tool(build, selection)}) ${row.alias})`;
      },
    },
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

/** Failures that say the same. */
export const recordedFailureGroup: Resource = {
  entity: {
    name: "RecordedFailureGroup",
    table: "",
    columns: {
      message: "text",
      count: "integer",
      sessions: "integer",
      lastAt: "timestamp",
      eventId: "uuid",
      sessionId: "uuid",
      position: "integer",
    },
  },
};

/**
 * The newest events of the range alone are read, whatever they are, and the results of the newest failures alone, so
 * that the work is bounded. Raw SQL: a part of what the read planner writes.
 */
function tool(build: Build, selection: Selection): string {
  const key = (name: string) => `${selection.argumentIndex}.${name}`;
  const edge = (at: "from" | "to") =>
    bind(build, key(at), "timestamptz", ({ args, scope }) => rangeOf(argsOf(selection, args), scope.at)[at]);
  const name = bind(build, key("name"), "text", ({ args }) => plain(argsOf(selection, args).name));
  const count = bind(build, key("buckets"), "integer", ({ args }) => bucketsOf(argsOf(selection, args).buckets));
  const part = `((${edge("to")} - ${edge("from")}) / ${count})`;
  return `with seen as materialized (
      select e.primitive_name, e.kind, e.primitive_type, e.parent_id, e.success, e.latency, e.timestamp, e.session_id, e.event_id
      from recorded_event e
      where e.organization_id = ${organization(build)} and e.timestamp >= ${edge("from")} and e.timestamp < ${edge("to")}
      order by e.timestamp desc limit ${MAX_EVENTS + 1}),
    calls as materialized (select success, latency, timestamp, session_id, event_id, width_bucket(latency, ${EDGES}) as band,
        least(${count} - 1, floor(extract(epoch from timestamp - ${edge("from")}) / extract(epoch from ${part})))::int as position
      from seen e where primitive_name = ${name} and ${isToolCall("e")}),
    latest as materialized (select session_id, event_id, timestamp from calls where not success
      order by timestamp desc limit ${MAX_FAILURES}),
    said as (select l.*, ${message("e.result")} as message from latest l
      join recorded_event e on e.organization_id = ${organization(build)} and e.event_id = l.event_id),
    groups as (select message, count(*) as count, count(distinct session_id) as sessions, max(timestamp) as "lastAt",
        (array_agg(event_id order by timestamp desc))[1] as "eventId",
        (array_agg(session_id order by timestamp desc))[1] as "sessionId",
        row_number() over (order by count(*) desc, max(timestamp) desc) as position
      from said group by message),
    bands as (select b, count(c.band) as calls, count(c.band) filter (where not c.success) as failures
      from generate_series(0, 11) b left join calls c on c.band = b group by b),
    cells as (select position, jsonb_object_agg(band, n) as bands
      from (select position, band, count(*) as n from calls where band is not null group by 1, 2) c group by 1),
    courses as (select position, count(*) as calls, count(*) filter (where not success) as failures,
        percentile_disc(array[0.5, 0.95]) within group (order by latency) as p from calls group by 1)
    select ${name} as name, ${edge("from")} as from, ${edge("to")} as to,
      (select count(*) from seen) > ${MAX_EVENTS} as truncated, count(*) as calls,
      count(*) filter (where not success) as failures, count(distinct session_id) as sessions,
      percentile_disc(0.5) within group (order by latency) as p50,
      percentile_disc(0.95) within group (order by latency) as p95,
      percentile_disc(0.99) within group (order by latency) as p99,
      (select json_agg(calls order by b) from bands) as "bandCalls",
      (select json_agg(failures order by b) from bands) as "bandFailures",
      (select coalesce(jsonb_agg(to_jsonb(g)), '[]') from groups g where position <= ${MAX_GROUPS}) as groups,
      (select jsonb_agg(jsonb_build_object('at', ${edge("from")} + n * ${part}, 'position', n,
        'calls', coalesce(o.calls, 0), 'failures', coalesce(o.failures, 0), 'p50', o.p[1], 'p95', o.p[2],
        'bands', (select jsonb_agg(coalesce((c.bands->>b::text)::int, 0) order by b) from generate_series(0, 11) b)))
       from generate_series(0, ${count} - 1) n left join courses o on o.position = n
       left join cells c on c.position = n) as buckets
    from calls`;
}

/** What a result says went wrong, without what differs from one time to the next: its message, or its first line. */
function message(result: string): string {
  const text = `left(${result}, ${READ})`;
  const found = `substring(${text} from '"(?:error|message|stderr)"\\s*:\\s*"((?:[^"\\\\]|\\\\.)+)')`;
  const line = `split_part(replace(ltrim(coalesce(${found}, ${text}), E' \\t\\r\\n"'), '\\n', E'\\n'), E'\\n', 1)`;
  const noPaths = `regexp_replace(left(${line}, ${MESSAGE}), '(\\.{0,2}/)?[\\w.@-]+/[\\w./@-]+', '‹path›', 'g')`;
  const noIds = `regexp_replace(${noPaths}, '[0-9a-fA-F]{8}-?[0-9a-fA-F-]{4,}', '‹id›', 'g')`;
  return `btrim(regexp_replace(${noIds}, '[0-9]+(\\.[0-9]+)?', '‹n›', 'g'))`;
}

/** A name that no tool can have matches none. */
const plain = (name: unknown): string => String(name).replaceAll("\0", "\uFFFD");

/** @throws inputError for none or too many. */
function bucketsOf(given: unknown): number {
  const count = Number(given ?? DEFAULT_BUCKETS);
  if (count < 1 || count > MAX_BUCKETS) throw inputError(`buckets must be between 1 and ${MAX_BUCKETS}`, "buckets");
  return count;
}
