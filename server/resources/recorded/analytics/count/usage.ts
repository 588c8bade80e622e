import { costCountsOf, isToolCall, isTurn, measuresOf, SUMS as SESSION_SUMS } from "../../kinds.ts";
import { hashOf, MAX_HASHES } from "../session-hashes.ts";

/** The sums that are counted of each value; the cost in billionths of a dollar, so that sums are exact. */
export const USAGE_SUMS = ["events", ...SESSION_SUMS] as const;

/** Characters of a value: it stands in the key of an index. */
const NAME_CHARS = 256;

/** Raw SQL, as all of this: columns of an event `e` by which it is counted. Metadata is left out that measures nothing. */
export const USED_COLUMNS = `e.session_id, e.timestamp, e.part, e.model, e.input_tokens, e.output_tokens, e.cache_read_tokens,
    e.cache_write_tokens, e.cost, e.computed_cost,
    case when e.part is null and e.metadata::text like '%"gen_ai.%' then e.metadata end as metadata,
    case when ${isToolCall("e")} then e.primitive_name end as called_tool, case when ${isTurn("e")} then e.primitive_name end as turn_agent`;

const MEASURES = measuresOf("g");
const COUNTS = costCountsOf("g");
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
 * SQL of what events of a relation with those columns come to, by day, session and each of their values. The agent is
 * the session's source, or else the name of a turn; the repository is what the session names as such, or its directory.
 * All of them are a value too, so that a session of two models is counted once in the sum.
 */
export const usageOf = (events: string, organization: string): string =>
  `select d.kind, left(d.name, ${NAME_CHARS}) as name, ${hashOf("u.session_id")} as hash, u.*
    from (select g.session_id, date_trunc('day', g.timestamp, 'UTC') as day, g.called_tool, g.turn_agent, ${MEASURES.model} as model,
        ${USAGE_SUMS.map((name) => `${SUMS[name]} as ${name}`).join(", ")} from ${events} g group by 1, 2, 3, 4, 5) u
    left join recorded_session s on s.organization_id = ${organization} and s.session_id = u.session_id
    cross join lateral (values ('model', u.model), ('agent', coalesce(s.source, u.turn_agent)), ('user', s.user_id),
      ('tool', u.called_tool), ('all', 'all'), ('repository', coalesce(s.metadata->>'repository', s.metadata->>'cwd'))) d (kind, name)
    where d.name <> ''`;

const sums = (of = "") => USAGE_SUMS.map((name) => `sum(${of}${name})::bigint as ${name}`).join(", ");
const NAMES = USAGE_SUMS.join(", ");

/** The sums of the events of an hour that have one value. */
type Used = Record<(typeof USAGE_SUMS)[number], number> & { kind: string; name: string; sessions: number[] };
export type UsageCounts = Map<string, Used>;

/** The parts of the statement that counts an hour, which read the events that it has `seen`; and its value. */
export const USED_PARTS = `taken as materialized (${usageOf("seen", "$1")}),
  least as (select kind, name, hash, row_number() over (partition by kind, name order by hash) as place
    from (select distinct kind, name, hash from taken) h),
  used as (select kind, name, ${sums()}, (select json_agg(hash order by hash) from least l
      where l.kind = t.kind and l.name = t.name and place <= ${MAX_HASHES}) as sessions
    from taken t group by kind, name)`;
export const USED = "coalesce((select json_agg(to_json(u)) from used u), '[]')";

/** Adds what a slice of an hour comes to. */
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

/** Rows of recorded_usage_hour but for the organization, SQL that reads a list of them, and its columns. */
export const usageRows = (hours: readonly { hour: Date; usage: UsageCounts }[]) =>
  hours.flatMap(({ hour, usage }) => [...usage.values()].map((each) => ({ ...each, hour })));
export const usageIn = (
  list: string,
): string => `jsonb_to_recordset(${list}::jsonb) n (hour timestamptz, kind text, name text,
  ${USAGE_SUMS.map((name) => `${name} bigint`).join(", ")}, sessions integer[])`;
export const USAGE_HOUR = `hour, kind, name, ${NAMES}, sessions`;

/** SQL of the number of sessions that a list of hashes stands for: of a full one, by how dense they lie. */
export const countOf = (
  hashes: string,
): string => `case when cardinality(${hashes}) < ${MAX_HASHES} then cardinality(${hashes})
  else round((${MAX_HASHES} - 1) * 4294967296.0 / (${hashes}[${MAX_HASHES}]::bigint + 2147483648))::integer end`;

/** The columns of recorded_usage_day but for the organization and the day, and SQL of its rows, as the hours of day $2 make them. */
export const USAGE_DAY = `kind, name, ${NAMES}, sessions, session_count`;
export const USAGE_DAY_MADE = `with hours as (select * from recorded_usage_hour
    where organization_id = $1 and hour >= $2 and hour < $2::timestamptz + interval '1 day'),
  least as (select kind, name, hash, row_number() over (partition by kind, name order by hash) as place
    from (select distinct kind, name, unnest(sessions) as hash from hours) h),
  lists as (select kind, name, array_agg(hash order by hash) as sessions from least where place <= ${MAX_HASHES} group by kind, name)
  select h.kind, h.name, ${NAMES}, l.sessions, ${countOf("l.sessions")} as session_count
  from (select kind, name, ${sums()} from hours group by kind, name) h join lists l using (kind, name)`;
