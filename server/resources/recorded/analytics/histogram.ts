import type { StatementBuild } from "../../../read/entity.ts";
import { bindOrganization, bindParameter, jsonListRowsSql } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import type { Resource } from "../../resource.ts";
import { createComputedRowField, matchesSessionFilterSql } from "../computed-row.ts";
import { bindEdge, parseBucketCount } from "./range.ts";

/** Limits of a query. */
const MAX_SESSIONS = 20_000;
const MAX_DAYS = 31;
const DEFAULT_BUCKETS = 48;

/**
 * Root field `recordedSessionHistogram`: for each part of a time range, how many sessions began, how many of them had
 * failures, and their tokens and cost.
 */
export const recordedSessionHistogram: Resource = {
  entity: {
    name: "RecordedSessionHistogram",
    table: "",
    columns: { from: "timestamp", to: "timestamp", truncated: "boolean", incomplete: "boolean" },
    many: {
      buckets: {
        entity: "RecordedSessionBucket",
        rows: jsonListRowsSql(
          "buckets",
          "at timestamptz, sessions integer, failed integer, tokens float8, cost float8",
        ),
      },
    },
  },
  values: {
    recordedSessionHistogram: { scans: () => 1, ...createComputedRowField("RecordedSessionHistogram", histogram) },
  },
};

/** Sessions that began in a part of the range. */
export const recordedSessionBucket: Resource = {
  entity: {
    name: "RecordedSessionBucket",
    table: "",
    columns: {
      at: "timestamp",
      sessions: "integer",
      failed: "integer",
      tokens: "float",
      cost: "float",
      position: "integer",
    },
  },
};

/**
 * Reads only the newest sessions of the range, so that the work is limited. Adds deltas that are not rolled up.
 * Raw SQL: a fragment for the read planner.
 */
function histogram(build: StatementBuild, selection: Selection): string {
  const from = bindEdge(build, selection, MAX_DAYS, "from");
  const to = bindEdge(build, selection, MAX_DAYS, "to");
  const count = bindParameter(build, `${selection.argumentIndex}.buckets`, "integer", ({ args }) =>
    parseBucketCount(selectedArguments(selection, args), DEFAULT_BUCKETS),
  );
  const tenant = bindOrganization(build);
  const part = `((${to} - ${from}) / ${count})`;
  return `with seen as materialized (
      select s.timestamp, s.session_id, s.events, s.input_tokens, s.output_tokens, s.cost from recorded_session s
      where s.organization_id = ${tenant} and s.timestamp >= ${from} and s.timestamp < ${to}
      order by s.timestamp desc limit ${MAX_SESSIONS + 1}),
    late as materialized (
      select d.session_id, sum(coalesce(d.input_tokens, 0) + coalesce(d.output_tokens, 0)) as tokens, sum(d.cost) as cost
      from recorded_delta d where d.organization_id = ${tenant} group by 1),
    counted as (
      select least(${count} - 1, floor(extract(epoch from s.timestamp - ${from}) / extract(epoch from ${part})))::int
          as position, count(*) as sessions, count(*) filter (where coalesce((select true from recorded_event e
          where e.organization_id = ${tenant} and e.session_id = s.session_id and not e.success limit 1), false)) as failed,
        sum(coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(l.tokens, 0)) as tokens,
        sum(coalesce(s.cost, 0) + coalesce(l.cost, 0)) as cost
      from seen s left join late l on l.session_id = s.session_id
      where true ${matchesSessionFilterSql(build, selection, "s.session_id")} group by 1)
    select ${from} as from, ${to} as to, (select count(*) from seen) > ${MAX_SESSIONS} as truncated, exists (select from seen where events is null) as incomplete,
      (select jsonb_agg(jsonb_build_object('at', ${from} + n * ${part}, 'position', n, 'sessions', coalesce(c.sessions, 0),
        'failed', coalesce(c.failed, 0), 'tokens', coalesce(c.tokens, 0), 'cost', coalesce(c.cost, 0)))
       from generate_series(0, ${count} - 1) n left join counted c on c.position = n) as buckets`;
}
