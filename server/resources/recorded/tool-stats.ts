import { inputError } from "../../errors.ts";
import type { Build } from "../../read/entity.ts";
import { textSql } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { bind, column, entityOf, newRow, organization } from "../../read/row.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import { isToolCall } from "./told.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Bounds of one query. */
const MAX_DAYS = 31;
const MAX_EVENTS = 200_000;
const MAX_TOOLS = 250;
/** Parts of the range that a trend has. */
const PARTS = 24;

/** Root field `recordedToolStats`: calls, failures and latencies by tool, over a range of time. */
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
    recordedToolStats: {
      sql(build, selection) {
        const row = newRow(build, entityOf(build, "RecordedToolStats"));
        const json = textSql(rowJson(row, selection.children));
        return `(select ${json} from (${stats(build, selection)}) ${row.alias})`;
      },
    },
  },
};

/** One tool in the range. */
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
 * The newest events of the range alone are read, whatever they are, so that the work is bounded. Raw SQL: a part of
 * what the read planner writes.
 */
function stats(build: Build, selection: Selection): string {
  const edge = (at: "from" | "to") =>
    bind(
      build,
      `${selection.argumentIndex}.${at}`,
      "timestamptz",
      ({ args, scope }) => rangeOf(argsOf(selection, args), scope.at)[at],
    );
  const trend = wantsTrend(selection) ? trends(edge("from"), edge("to")) : NO_TREND;
  return `with seen as materialized (
      select e.primitive_name as name, e.kind, e.primitive_type, e.parent_id, e.success, e.latency, e.timestamp from recorded_event e
      where e.organization_id = ${organization(build)} and e.timestamp >= ${edge("from")} and e.timestamp < ${edge("to")}
      order by e.timestamp desc limit ${MAX_EVENTS + 1}),
    tools as (
      select name, count(*) as calls, count(*) filter (where not success) as failures,
        percentile_disc(array[0.5, 0.95, 0.99]) within group (order by latency) as p,
        row_number() over (order by count(*) desc, name) as position
      from (select * from seen limit ${MAX_EVENTS}) e where ${isToolCall("e")} group by name)${trend.sql}
    select ${edge("from")} as from, ${edge("to")} as to,
      (select count(*) from seen) > ${MAX_EVENTS} or (select count(*) from tools) > ${MAX_TOOLS} as truncated,
      coalesce((select jsonb_agg(jsonb_build_object('name', name, 'position', position, 'calls', calls,
        'failures', failures, 'p50', p[1], 'p95', p[2], 'p99', p[3]${trend.values})) from tools ${trend.join} where position <= ${MAX_TOOLS}), '[]') as tools`;
}

const wantsTrend = ({ children }: Selection): boolean =>
  children.some(({ field, children: tool }) => field === "tools" && tool.some((one) => /trend$/i.test(one.field)));

/** What trends add to the query: they are counted only where they are asked for. */
interface Trends {
  sql: string;
  join: string;
  values: string;
}

const NO_TREND: Trends = { sql: "", join: "", values: "" };

function trends(from: string, to: string): Trends {
  const part = `least(${PARTS - 1}, floor(${PARTS} * extract(epoch from e.timestamp - ${from}) / extract(epoch from ${to} - ${from})))`;
  const list = (counts: string) =>
    `(select jsonb_agg(coalesce((${counts}->>n::text)::int, 0) order by n) from generate_series(0, ${PARTS - 1}) n)`;
  return {
    sql: `,
    trends as (select name as tool, jsonb_object_agg(part, calls) as calls_by, jsonb_object_agg(part, failures) as failures_by
      from (select name, ${part}::int as part, count(*) as calls, count(*) filter (where not success) as failures
        from (select * from seen limit ${MAX_EVENTS}) e where ${isToolCall("e")} group by 1, 2) p group by 1)`,
    join: "join trends on tool = name",
    values: `, 'trend', ${list("calls_by")}, 'failureTrend', ${list("failures_by")}`,
  };
}

/** The range that is asked for, the last day unless told. @throws inputError for a range that is empty or too long */
export function rangeOf(args: Readonly<Record<string, unknown>>, now: Date): { from: string; to: string } {
  const to = args.to ? Date.parse(String(args.to)) : now.getTime();
  const from = args.from ? Date.parse(String(args.from)) : to - DAY_MS;
  if (from >= to) throw inputError("from must be before to", "from");
  if (to - from > MAX_DAYS * DAY_MS) throw inputError(`from and to may be at most ${MAX_DAYS} days apart`, "from");
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
