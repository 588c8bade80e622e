import { DAY_MS } from "../../../formats/time.ts";

/** Types, in any case, by which an event of capture-* with a parent is a model call or a subagent instead of a tool call. */
export const TYPES = {
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

/** The kind of an event of capture-*. */
export type SentKind = "turn" | "tool" | keyof typeof TYPES;

const KINDS = new Map<string, SentKind>(
  Object.entries(TYPES).flatMap(([kind, types]) => types.map((type) => [type, kind as SentKind])),
);

/** The kind of an event of capture-*: the same as `kindOf` says of it once it is stored. */
export function sentKind(type: string | null, hasParent: boolean): SentKind {
  if (type === "tool") return "tool";
  if (!hasParent) return "turn";
  return (type !== null && KINDS.get(type.toLowerCase())) || "tool";
}

/** As an index writes it: another expression would not use it. */
const turnOrCall = (alias: string): string =>
  `(coalesce(${alias}.kind, case when ${alias}.primitive_type is not distinct from 'tool' or ${alias}.parent_id is not null
    then 'tool' else 'turn' end))`;

const hasType = (alias: string, kind: keyof typeof TYPES): string =>
  `lower(${alias}.primitive_type) in (${TYPES[kind].map((type) => `'${type}'`).join(", ")})`;

/**
 * SQL of an event's kind, for all that count or show it. A connector sends it. Of what came over capture-*, the type tool
 * makes a tool call, no parent a turn, and of others the type may name a model or an agent.
 */
export const kindOf = (alias: string): string =>
  `(case when ${alias}.kind is null and ${alias}.parent_id is not null and ${hasType(alias, "llm")} then 'llm'
    when ${alias}.kind is null and ${alias}.parent_id is not null and ${hasType(alias, "subagent")} then 'subagent'
    else ${turnOrCall(alias)} end)`;

/** SQL of whether an event is a tool call, and a turn. */
export const isToolCall = (alias: string): string => `(${kindOf(alias)} = 'tool')`;
export const isTurn = (alias: string): string => `(${turnOrCall(alias)} = 'turn')`;

/**
 * SQL that joins the agent of a session which names no source, as `t.agent`: a session that came over capture-* is that of the
 * agent of its first turn. It takes SQL of the organization, and of the session's id and source.
 */
export const joinAgent = (organization: string, id: string, source: string): string =>
  `left join lateral (select e.primitive_name as agent from recorded_event e
    where e.organization_id = ${organization} and e.session_id = ${id} and ${isTurn("e")} and ${source} is null
    order by e.timestamp, e.event_id limit 1) t on true`;

/**
 * SQL of the result of a call by which equal calls are known: without the lines at its head by which Codex numbers and times
 * an ended command, which no two have in common. Those of one that still runs stay: to wait for it is no loop.
 */
export const comparedResult = (alias: string): string =>
  `rtrim(regexp_replace(${alias}.result, '${HEAD_OF_RESULT}', ''), E'\\n')`;

const HEAD_OF_RESULT =
  "^(?:(?:Chunk ID|Exit code|Wall time|Process exited with code|Original token count)[^\\n]*\\n)+Output:\\n";

/** The names that the GenAI conventions have for it, under which capture-* may carry it in metadata. */
export const GEN_AI = {
  model: "gen_ai.request.model",
  input_tokens: "gen_ai.usage.input_tokens",
  output_tokens: "gen_ai.usage.output_tokens",
  cache_read_tokens: "gen_ai.usage.cache_read.input_tokens",
  cache_write_tokens: "gen_ai.usage.cache_creation.input_tokens",
  cost: "gen_ai.usage.cost",
} as const;

/** A column for each of them. */
export type GenAiColumn = keyof typeof GEN_AI;

const MEASURES = Object.keys(GEN_AI) as GenAiColumn[];
/** Larger counts are no counts. */
export const MOST = 2 ** 53;

/** SQL of the model, tokens and cost of an event: in its columns, or in the metadata of capture-*. */
export const measuresOf = (alias: string): Record<GenAiColumn, string> =>
  Object.fromEntries(
    MEASURES.map((name) => [
      name,
      name === "cost" ? `coalesce(${reportedOf(alias, name)}, ${alias}.computed_cost)` : reportedOf(alias, name),
    ]),
  ) as Record<GenAiColumn, string>;

/** SQL of a model, tokens or a cost as they were reported, without the cost that prices make of them. */
const reportedOf = (alias: string, name: GenAiColumn): string =>
  `coalesce(${alias}.${name}, ${inMetadata(alias, name)})`;

/** SQL of where the cost of an event is from: the agent reported it, or it was computed from tokens and prices. */
export const costSourceOf = (
  alias: string,
): string => `(case when ${reportedOf(alias, "cost")} is not null then 'reported'
    when ${alias}.computed_cost is not null then 'computed' else 'none' end)`;

/** The columns of tokens. */
export const TOKENS = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;
/** The counts of events by where their cost is from. The cost of those with tokens and none is missing. */
const COST_COUNTS = ["reported_costs", "computed_costs", "missing_costs"] as const;
/** The columns of a session's totals: those that count its events, and those that are null where no event adds to them. */
export const COUNTS = ["events", "failures", "turns", "tool_calls"] as const;
export const SUMS = [...TOKENS, "cost", ...COST_COUNTS] as const;

/** SQL of such a count's share in an event: 1 or 0. */
export function costCountsOf(alias: string): Record<(typeof COST_COUNTS)[number], string> {
  const tokens = TOKENS.map((name) => reportedOf(alias, name)).join(", ");
  const is = (source: string, more = "") => `(${costSourceOf(alias)} = '${source}'${more})::integer`;
  return {
    reported_costs: is("reported"),
    computed_costs: is("computed"),
    missing_costs: is("none", ` and coalesce(${tokens}) is not null`),
  };
}

function inMetadata(alias: string, name: GenAiColumn): string {
  const member = (operator: string) => `${alias}.metadata ${operator} '${GEN_AI[name]}'`;
  const ofCapture = `${alias}.part is null and ${alias}.metadata is not null`;
  if (name === "model") {
    return `case when ${ofCapture} and json_typeof(${member("->")}) = 'string' then nullif(${member("->>")}, '') end`;
  }
  const number = `(${member("->>")})::numeric`;
  const value = name === "cost" ? number : `round(${number})::bigint`;
  return `case when ${ofCapture} and json_typeof(${member("->")}) = 'number'
    then case when ${number} between 0 and ${MOST} then ${value} end end`;
}

/** A latency that an agent got wrong draws a session no longer than this. */
const LONGEST_MS = 31 * DAY_MS;

/** SQL of when an event ended. */
export const endOf = (alias: string): string =>
  `${alias}.timestamp + least(coalesce(${alias}.latency, 0), ${LONGEST_MS}) * interval '1 millisecond'`;

/** The same of an event in hand, in epoch ms. */
export const endedAt = ({ timestamp, latency }: { timestamp: number; latency: number | null }): number =>
  timestamp + Math.min(latency ?? 0, LONGEST_MS);
