import { DAY_MS } from "../../../formats/time.ts";

/**
 * Types with which an event of capture-* that has a parent is a model call or a subagent instead of a tool call. Upper
 * and lower case do not matter.
 */
export const EVENT_TYPES_BY_KIND = {
  llm: [
    "llm",
    "model",
    "chat_model",
    "generation",
    "chat",
    "completion",
    "text_completion",
    "generate_content",
    "inference",
  ],
  subagent: ["agent", "subagent", "sub_agent", "sub-agent", "invoke_agent"],
} as const;

export type CapturedEventKind = "turn" | "tool" | keyof typeof EVENT_TYPES_BY_KIND;

const KINDS = new Map<string, CapturedEventKind>(
  Object.entries(EVENT_TYPES_BY_KIND).flatMap(([kind, types]) =>
    types.map((type) => [type, kind as CapturedEventKind]),
  ),
);

/**
 * Returns the kind of an event of capture-* before the event is stored. `kindSql` returns the same kind for the stored
 * event.
 */
export function getCapturedEventKind(type: string | null, hasParent: boolean): CapturedEventKind {
  if (type === "tool") return "tool";
  if (!hasParent) return "turn";
  return (type !== null && KINDS.get(type.toLowerCase())) || "tool";
}

/** This SQL is the same expression as in an index. PostgreSQL would not use the index for a different expression. */
const turnOrCall = (alias: string): string =>
  `(coalesce(${alias}.kind, case when ${alias}.primitive_type is not distinct from 'tool' or ${alias}.parent_id is not null
    then 'tool' else 'turn' end))`;

const hasType = (alias: string, kind: keyof typeof EVENT_TYPES_BY_KIND): string =>
  `lower(${alias}.primitive_type) in (${EVENT_TYPES_BY_KIND[kind].map((type) => `'${type}'`).join(", ")})`;

/**
 * SQL for the kind of an event, for all code that counts or shows events. A connector sends the kind. For an event of
 * capture-*, the type `tool` means a tool call, and a missing parent means a turn; otherwise the type may name a model
 * call or a subagent.
 */
export const kindSql = (alias: string): string =>
  `(case when ${alias}.kind is null and ${alias}.parent_id is not null and ${hasType(alias, "llm")} then 'llm'
    when ${alias}.kind is null and ${alias}.parent_id is not null and ${hasType(alias, "subagent")} then 'subagent'
    else ${turnOrCall(alias)} end)`;

/** SQL conditions: an event is a tool call, or a turn. */
export const isToolCallSql = (alias: string): string => `(${kindSql(alias)} = 'tool')`;
export const isTurnSql = (alias: string): string => `(${turnOrCall(alias)} = 'turn')`;

/**
 * SQL that joins the agent of a session without a source, as `t.agent`: a session recorded through capture-* belongs
 * to the agent of its first turn. The parameters are SQL for the organization and for the session's id and source.
 */
export const joinAgentSql = (organization: string, id: string, source: string): string =>
  `left join lateral (select e.primitive_name as agent from recorded_event e
    where e.organization_id = ${organization} and e.session_id = ${id} and ${isTurnSql("e")} and ${source} is null
    order by e.timestamp, e.event_id limit 1) t on true`;

/** Names in the GenAI conventions, under which capture-* may send the values in metadata. */
export const GEN_AI_ATTRIBUTES = {
  model: "gen_ai.request.model",
  input_tokens: "gen_ai.usage.input_tokens",
  output_tokens: "gen_ai.usage.output_tokens",
  cache_read_tokens: "gen_ai.usage.cache_read.input_tokens",
  cache_write_tokens: "gen_ai.usage.cache_creation.input_tokens",
  cost: "gen_ai.usage.cost",
} as const;

/** Columns of the GenAI values. */
export type GenAiColumn = keyof typeof GEN_AI_ATTRIBUTES;

const MEASURES = Object.keys(GEN_AI_ATTRIBUTES) as GenAiColumn[];
/** Larger counts are invalid. */
export const MAX_VALID_COUNT = 2 ** 53;

/** SQL for the model, tokens and cost of an event, from its columns or from the metadata of capture-*. */
export const measuresSql = (alias: string): Record<GenAiColumn, string> =>
  Object.fromEntries(
    MEASURES.map((name) => [
      name,
      name === "cost" ? `coalesce(${reportedOf(alias, name)}, ${alias}.computed_cost)` : reportedOf(alias, name),
    ]),
  ) as Record<GenAiColumn, string>;

/** SQL for a model, tokens or a cost as reported, without a computed cost. */
const reportedOf = (alias: string, name: GenAiColumn): string =>
  `coalesce(${alias}.${name}, ${inMetadata(alias, name)})`;

/** SQL for the source of an event's cost: reported by the agent, or computed from tokens and prices. */
export const costSourceSql = (
  alias: string,
): string => `(case when ${reportedOf(alias, "cost")} is not null then 'reported'
    when ${alias}.computed_cost is not null then 'computed' else 'none' end)`;

export const TOKEN_COLUMNS = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;
/** Counts of events by the source of their cost. An event with tokens and without a cost counts as missing. */
const COST_COUNTS = ["reported_costs", "computed_costs", "missing_costs"] as const;
/** Columns of a session's totals: counts of events, and sums that are null if no event has a value. */
export const EVENT_COUNT_COLUMNS = ["events", "failures", "turns", "tool_calls"] as const;
export const SESSION_SUM_COLUMNS = [...TOKEN_COLUMNS, "cost", ...COST_COUNTS] as const;

/** SQL for the number, 1 or 0, that an event adds to each of these counts. */
export function costCountsSql(alias: string): Record<(typeof COST_COUNTS)[number], string> {
  const tokens = TOKEN_COLUMNS.map((name) => reportedOf(alias, name)).join(", ");
  const is = (source: string, more = "") => `(${costSourceSql(alias)} = '${source}'${more})::integer`;
  return {
    reported_costs: is("reported"),
    computed_costs: is("computed"),
    missing_costs: is("none", ` and coalesce(${tokens}) is not null`),
  };
}

function inMetadata(alias: string, name: GenAiColumn): string {
  const member = (operator: string) => `${alias}.metadata ${operator} '${GEN_AI_ATTRIBUTES[name]}'`;
  const ofCapture = `${alias}.part is null and ${alias}.metadata is not null`;
  if (name === "model") {
    return `case when ${ofCapture} and json_typeof(${member("->")}) = 'string' then nullif(${member("->>")}, '') end`;
  }
  const number = `(${member("->>")})::numeric`;
  const value = name === "cost" ? number : `round(${number})::bigint`;
  return `case when ${ofCapture} and json_typeof(${member("->")}) = 'number'
    then case when ${number} between 0 and ${MAX_VALID_COUNT} then ${value} end end`;
}

/** Maximum latency that counts for a session's duration, because agents may report wrong latencies. */
const LONGEST_MS = 31 * DAY_MS;

export const eventEndSql = (alias: string): string =>
  `${alias}.timestamp + least(coalesce(${alias}.latency, 0), ${LONGEST_MS}) * interval '1 millisecond'`;

/**
 * Returns the time at which an event ended, in milliseconds since 1970. `eventEndSql` computes the same time in SQL.
 */
export const eventEndMs = ({ timestamp, latency }: { timestamp: number; latency: number | null }): number =>
  timestamp + Math.min(latency ?? 0, LONGEST_MS);
