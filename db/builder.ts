import knexFactory, { type Knex } from "knex";
import { getOwnProperty } from "../formats/own.ts";
import type { Statement, TableEffect } from "./database.ts";

const quiet = () => {};
const log = { warn: quiet, error: quiet, debug: quiet, deprecate: quiet };

/**
 * Creates a knex instance without a connection pool. The function `acquireConnection` of the instance's client decides
 * which connection runs the statements.
 */
export const createKnex = (): Knex => knexFactory({ client: "pg", version: "15", compileSqlOnError: false, log });

/**
 * Query builder without connections. Send the built queries with `query` of the database or of the current transaction.
 * `query` adds deadlines, retries and the pipeline.
 */
export const knex: Knex = createKnex();

type Builder = Knex.QueryBuilder | Knex.Raw;

/**
 * Converts a query to a statement in the driver's form. The statement of a SELECT declares that it changes no tables.
 * For frequent statements, use `definePreparedStatement`.
 */
export function toStatement(builder: Builder, effect?: TableEffect): Statement {
  const built = builder.toSQL();
  const { sql, bindings } = built.toNative();
  const selects = "method" in built && built.method === "select";
  return { text: sql, values: bindings, ...(selects && { writes: [] }), ...effect };
}

/**
 * SQL text of each prepared statement, by statement name. The names must be unique: a connection that has prepared one
 * statement would run the same statement for another statement with this name.
 */
const texts = new Map<string, string>();

/** Builds a query. The function gets one placeholder for each parameter of the query. */
type Build<Parameter extends string> = (placeholders: Record<Parameter, Buffer>) => Builder;

/** Creates the statement for a set of values. An undefined value becomes null. */
type Fill<Parameter extends string> = (values: Readonly<Record<Parameter, unknown>>) => Statement;

/**
 * Declares a prepared statement. knex compiles the statement at the first use, and later calls only insert the values.
 * `build` gets a placeholder for each parameter. knex accepts a placeholder wherever knex accepts a value, except in
 * `limit` and `offset`.
 * @param name unique name of the prepared statement; each SQL text needs its own name
 * @param effect tables that the statement reads and changes
 * @throws Error at the first use if the query does not use a parameter, or if another statement has the name
 */
export function definePreparedStatement<Parameter extends string>(
  name: string,
  parameters: readonly Parameter[],
  build: Build<Parameter>,
  effect?: TableEffect,
): Fill<Parameter> {
  let fill: Fill<Parameter> | undefined;
  return (values) => {
    fill ??= compile(name, parameters, build, effect);
    return fill(values);
  };
}

function compile<Parameter extends string>(
  name: string,
  parameters: readonly Parameter[],
  build: Build<Parameter>,
  effect: TableEffect | undefined,
): Fill<Parameter> {
  const placeholders = parameters.map(placeholder);
  const named = Object.fromEntries(parameters.map((parameter, at) => [parameter, placeholders[at]]));
  const { text, places, writes } = layout(placeholders, build(named as Record<Parameter, Buffer>));
  const unused = parameters.filter((_, at) => !places.some((place) => place.at === at));
  if ((texts.get(name) ?? text) !== text) throw new Error(`another statement is named ${name}`);
  texts.set(name, text);
  if (unused.length > 0) throw new Error(`the statement ${name} does not use its parameters ${unused.join(", ")}`);
  const sources = places.map(({ at, constant }) => ({ parameter: parameters[at], constant }));
  const declared: TableEffect = { ...(writes && { writes }), ...effect };
  return (values) => ({
    name,
    text,
    ...declared,
    values: sources.map(({ parameter, constant }) =>
      parameter === undefined ? constant : (getOwnProperty(values, parameter) ?? null),
    ),
  });
}

/**
 * Creates a placeholder for a value. knex passes a Buffer on unchanged, so the identity of the Buffer identifies the
 * parameter. The Buffer is never sent.
 */
const placeholder = (): Buffer => Buffer.alloc(0);

/**
 * Returns the text and effect of a query. For each position ($1, $2, …) in the text, also returns the bound value and
 * the index of the placeholder; the index of a constant is -1.
 */
function layout(placeholders: readonly Buffer[], builder: Builder) {
  const { text, writes, values: bindings = [] } = toStatement(builder);
  const known = new Map<unknown, number>(placeholders.map((each, at) => [each, at]));
  return { text, writes, places: bindings.map((constant) => ({ at: known.get(constant) ?? -1, constant })) };
}

/**
 * Compiles a query with unnamed parameters. `build` calls `take` once for each parameter to get a placeholder. Returns
 * the SQL text and, for each value to send, the index of the placeholder.
 */
export function compileWithPositionalParameters(build: (take: () => Buffer) => Builder): {
  text: string;
  order: readonly number[];
} {
  const placeholders: Buffer[] = [];
  const builder = build(() => {
    const taken = placeholder();
    placeholders.push(taken);
    return taken;
  });
  const { text, places } = layout(placeholders, builder);
  const order = places.map(({ at }) => at);
  if (order.includes(-1) || new Set(order).size !== placeholders.length)
    throw new Error(`not every value of the statement is a parameter, used: ${text}`);
  return { text, order };
}
