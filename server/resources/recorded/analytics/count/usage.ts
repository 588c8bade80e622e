import {
  costCountsSql,
  isToolCallSql,
  isTurnSql,
  measuresSql,
  SESSION_SUM_COLUMNS as SESSION_SUMS,
} from "../../kinds.ts";
import { MAX_HASHES, sessionHashSql } from "../session-hashes.ts";

/**
 * Columns that are summed for each value, such as each model. The cost is in billionths of a dollar, so that sums are
 * exact.
 */
export const USAGE_SUMS = ["events", ...SESSION_SUMS] as const;

/** Maximum length in characters of a value, such as the name of a model, because values are part of an index key. */
const NAME_CHARS = 256;

/**
 * Raw SQL, like all fragments here. Columns of an event `e` from which usage is counted. Metadata that contains no
 * tokens, model or cost is omitted.
 */
export const USAGE_EVENT_COLUMNS_SQL = `e.session_id, e.timestamp, e.part, e.model, e.input_tokens, e.output_tokens, e.cache_read_tokens,
    e.cache_write_tokens, e.cost, e.computed_cost,
    case when e.part is null and e.metadata::text like '%"gen_ai.%' then e.metadata end as metadata,
    case when ${isToolCallSql("e")} then e.primitive_name end as called_tool, case when ${isTurnSql("e")} then e.primitive_name end as turn_agent`;

const MEASURES = measuresSql("g");
const COUNTS = costCountsSql("g");
const SUMS: Record<(typeof USAGE_SUMS)[number], string> = {
  events: "count(*)",
  input_tokens: `coalesce(sum(${MEASURES.input_tokens}), 0)`,
  output_tokens: `coalesce(sum(${MEASURES.output_tokens}), 0)`,
  cache_read_tokens: `coalesce(sum(${MEASURES.cache_read_tokens}), 0)`,
  cache_write_tokens: `coalesce(sum(${MEASURES.cache_write_tokens}), 0)`,
  cost: `coalesce(sum(round(${MEASURES.cost} * 1000000000)), 0)`,
  reported_costs: `sum(${COUNTS.reported_costs})`,
  computed_costs: `sum(${COUNTS.computed_costs})`,
  missing_costs: `sum(${COUNTS.missing_costs})`,
};

/**
 * SQL that sums the events of a relation with the columns above, by day, session and value. The agent is the source of
 * the session or, if unknown, the name of a turn. The repository is the session's repository or, if unknown, the
 * working directory. `all` is also a value, so that a session with two models counts once in the total.
 */
export const usageSql = (events: string, organization: string): string =>
  `select d.kind, left(d.name, ${NAME_CHARS}) as name, ${sessionHashSql("u.session_id")} as hash, u.*
    from (select g.session_id, date_trunc('day', g.timestamp, 'UTC') as day, g.called_tool, g.turn_agent, ${MEASURES.model} as model,
        ${USAGE_SUMS.map((name) => `${SUMS[name]} as ${name}`).join(", ")} from ${events} g group by 1, 2, 3, 4, 5) u
    left join recorded_session s on s.organization_id = ${organization} and s.session_id = u.session_id
    cross join lateral (values ('model', u.model), ('agent', coalesce(s.source, u.turn_agent)), ('user', s.user_id),
      ('tool', u.called_tool), ('all', 'all'), ('repository', coalesce(s.metadata->>'repository', s.metadata->>'cwd'))) d (kind, name)
    where d.name <> ''`;

const sums = (of = "") => USAGE_SUMS.map((name) => `sum(${of}${name})::bigint as ${name}`).join(", ");
const NAMES = USAGE_SUMS.join(", ");

/** Sums of those events of an hour that have the same value, such as the same model. */
type Used = Record<(typeof USAGE_SUMS)[number], number> & { kind: string; name: string; sessions: number[] };
export type UsageCounts = Map<string, Used>;

/**
 * `USAGE_COUNT_CTES_SQL` contains the CTEs that sum the events in `seen`, for the statement that counts an hour. `USAGE_COUNTS_JSON_SQL` is the
 * SQL for the result.
 */
export const USAGE_COUNT_CTES_SQL = `taken as materialized (${usageSql("seen", "$1")}),
  least as (select kind, name, hash, row_number() over (partition by kind, name order by hash) as place
    from (select distinct kind, name, hash from taken) h),
  used as (select kind, name, ${sums()}, (select json_agg(hash order by hash) from least l
      where l.kind = t.kind and l.name = t.name and place <= ${MAX_HASHES}) as sessions
    from taken t group by kind, name)`;
export const USAGE_COUNTS_JSON_SQL = "coalesce((select json_agg(to_json(u)) from used u), '[]')";

/** Adds the sums of a slice of an hour. */
export function addUsage(counts: UsageCounts, slice: readonly Used[]): void {
  for (const next of slice) {
    const key = `${next.kind} ${next.name}`;
    const known = counts.get(key);
    if (known) {
      for (const name of USAGE_SUMS) known[name] += next[name];
      known.sessions = [...new Set([...known.sessions, ...next.sessions])].sort((a, b) => a - b).slice(0, MAX_HASHES);
    } else counts.set(key, next);
  }
}

/**
 * `usageRows` returns rows of recorded_usage_hour without the organization. `usageHourRowsSql` returns SQL that reads a JSON
 * list of such rows. `USAGE_HOUR_COLUMNS_SQL` names the columns of the table.
 */
export const usageRows = (hours: readonly { hour: Date; usage: UsageCounts }[]) =>
  hours.flatMap(({ hour, usage }) => [...usage.values()].map((each) => ({ ...each, hour })));
export const usageHourRowsSql = (
  list: string,
): string => `jsonb_to_recordset(${list}::jsonb) n (hour timestamptz, kind text, name text,
  ${USAGE_SUMS.map((name) => `${name} bigint`).join(", ")}, sessions integer[])`;
export const USAGE_HOUR_COLUMNS_SQL = `hour, kind, name, ${NAMES}, sessions`;

/**
 * SQL for the number of sessions in a list of session hashes. A list with the maximum number of hashes may be
 * incomplete, so the number is then estimated from the density of the hashes.
 */
export const sessionCountSql = (
  hashes: string,
): string => `case when cardinality(${hashes}) < ${MAX_HASHES} then cardinality(${hashes})
  else round((${MAX_HASHES} - 1) * 4294967296.0 / (${hashes}[${MAX_HASHES}]::bigint + 2147483648))::integer end`;

/**
 * `USAGE_DAY_COLUMNS_SQL` names the columns of recorded_usage_day without the organization and the day. `USAGE_DAY_ROWS_SQL` is SQL
 * that computes these columns for day $2 from the day's hours.
 */
export const USAGE_DAY_COLUMNS_SQL = `kind, name, ${NAMES}, sessions, session_count`;
export const USAGE_DAY_ROWS_SQL = `with hours as (select * from recorded_usage_hour
    where organization_id = $1 and hour >= $2 and hour < $2::timestamptz + interval '1 day'),
  least as (select kind, name, hash, row_number() over (partition by kind, name order by hash) as place
    from (select distinct kind, name, unnest(sessions) as hash from hours) h),
  lists as (select kind, name, array_agg(hash order by hash) as sessions from least where place <= ${MAX_HASHES} group by kind, name)
  select h.kind, h.name, ${NAMES}, l.sessions, ${sessionCountSql("l.sessions")} as session_count
  from (select kind, name, ${sums()} from hours group by kind, name) h join lists l using (kind, name)`;
