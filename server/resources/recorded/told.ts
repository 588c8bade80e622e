/** SQL of an event's kind. For what came over capture-*, the type tool or a parent makes a tool call, all else is a turn. */
export const kindOf = (alias: string): string =>
  `coalesce(${alias}.kind, case when ${alias}.primitive_type is not distinct from 'tool' or ${alias}.parent_id is not null
    then 'tool' else 'turn' end)`;

/** SQL of whether an event is a tool call, and a turn. */
export const isToolCall = (alias: string): string => `(${kindOf(alias)} = 'tool')`;
export const isTurn = (alias: string): string => `(${kindOf(alias)} = 'turn')`;

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
export type Told = keyof typeof GEN_AI;

const TOLD = Object.keys(GEN_AI) as Told[];
/** Larger counts are no counts. */
export const MOST = 2 ** 53;

/** SQL of what an event tells of the model, its tokens and cost: in its columns, or in the metadata of capture-*. */
export const told = (alias: string): Record<Told, string> =>
  Object.fromEntries(TOLD.map((name) => [name, `coalesce(${alias}.${name}, ${inMetadata(alias, name)})`])) as Record<
    Told,
    string
  >;

function inMetadata(alias: string, name: Told): string {
  const member = (operator: string) => `${alias}.metadata ${operator} '${GEN_AI[name]}'`;
  const ofCapture = `${alias}.observed is null and ${alias}.metadata is not null`;
  if (name === "model") {
    return `case when ${ofCapture} and json_typeof(${member("->")}) = 'string' then nullif(${member("->>")}, '') end`;
  }
  const number = `(${member("->>")})::numeric`;
  const value = name === "cost" ? number : `round(${number})::bigint`;
  return `case when ${ofCapture} and json_typeof(${member("->")}) = 'number'
    then case when ${number} between 0 and ${MOST} then ${value} end end`;
}
