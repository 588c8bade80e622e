import knexFactory, { type Knex } from "knex";
import { readOwn } from "../formats/own.ts";
import type { Statement, TableEffect } from "./database.ts";

const quiet = () => {};
const log = { warn: quiet, error: quiet, debug: quiet, deprecate: quiet };

/**
 * Creates a knex instance without a connection pool. The `acquireConnection` of its client determines where statements
 * run.
 */
export const createKnex = (): Knex => knexFactory({ client: "pg", version: "15", compileSqlOnError: false, log });

/**
 * knex as a query builder without connections. Built queries are sent with `query` of the database or of the current
 * transaction, which add deadlines, retries and the pipeline.
 */
export const knex: Knex = createKnex();

type Builder = Knex.QueryBuilder | Knex.Raw;

/**
 * Converts a query to the driver's form. A SELECT is declared to change nothing. For frequent statements, use
 * `compiled`.
 */
export function toStatement(builder: Builder, effect?: TableEffect): Statement {
  const built = builder.toSQL();
  const { sql, bindings } = built.toNative();
  const selects = "method" in built && built.method === "select";
  return { text: sql, values: bindings, ...(selects && { writes: [] }), ...effect };
}

/**
 * Text of each statement name. If two statements had the same name, a connection that has prepared the first would run
 * the first in place of the second.
 */
const texts = new Map<string, string>();

/** Builds a query from a placeholder for each parameter. */
type Build<Parameter extends string> = (placeholders: Record<Parameter, Buffer>) => Builder;

/** Creates the statement for a set of values. An undefined value becomes null. */
type Fill<Parameter extends string> = (values: Readonly<Record<Parameter, unknown>>) => Statement;

/**
 * Declares a prepared statement, which knex compiles at the first use. Later calls only insert the values. `build` gets
 * a placeholder for each parameter. knex accepts placeholders wherever it accepts values, except in `limit` and
 * `offset`.
 * @param name of the prepared statement; each text needs its own name
 * @param effect tables that the statement reads and changes
 * @throws Error at the first use if the query lacks a parameter, or if another statement has the name
 */
export function compileStatement<Parameter extends string>(
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
      parameter === undefined ? constant : (readOwn(values, parameter) ?? null),
    ),
  });
}

/**
 * Creates a placeholder for a value. knex passes a Buffer on unchanged, so the identity of the Buffer identifies the
 * parameter. The Buffer is never sent.
 */
const placeholder = (): Buffer => Buffer.alloc(0);

/**
 * Returns the text and effect of a query and, for each place in the text, the index of the placeholder or the constant
 * value.
 */
function layout(placeholders: readonly Buffer[], builder: Builder) {
  const { text, writes, values: bindings = [] } = toStatement(builder);
  const known = new Map<unknown, number>(placeholders.map((each, at) => [each, at]));
  return { text, writes, places: bindings.map((constant) => ({ at: known.get(constant) ?? -1, constant })) };
}

/**
 * Compiles a query with parameters without names. `build` takes placeholders in order. Returns the text and, for each
 * value to send, the index of the placeholder.
 */
export function compileByPosition(build: (take: () => Buffer) => Builder): { text: string; order: readonly number[] } {
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
