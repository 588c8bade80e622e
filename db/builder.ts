import knexFactory, { type Knex } from "knex";
import { readOwn } from "../formats/own.ts";
import type { Effect, Statement } from "./database.ts";

const quiet = () => {};
const log = { warn: quiet, error: quiet, debug: quiet, deprecate: quiet };

/** knex without a pool of its own; its client's `acquireConnection` says where it runs what it is asked to run. */
export const createKnex = (): Knex => knexFactory({ client: "pg", version: "15", compileSqlOnError: false, log });

/**
 * knex as a query builder that has no connection: what it builds is sent with `query` of the database or of the
 * transaction in hand, where deadlines, retries and the pipeline are.
 */
export const knex: Knex = createKnex();

type Builder = Knex.QueryBuilder | Knex.Raw;

/** A query as the driver takes it; a SELECT of the builder changes nothing. For what runs often see `compiled`. */
export function toStatement(builder: Builder, effect?: Effect): Statement {
  const built = builder.toSQL();
  const { sql, bindings } = built.toNative();
  const selects = "method" in built && built.method === "select";
  return { text: sql, values: bindings, ...(selects && { writes: [] }), ...effect };
}

/** The text of each name: a connection that has one prepared would run it for the other. */
const texts = new Map<string, string>();

/** Builds a query around a placeholder for each of its parameters. */
type Build<Parameter extends string> = (placeholders: Record<Parameter, Buffer>) => Builder;

/** Gives a statement its values: for a parameter that is undefined, null. */
type Fill<Parameter extends string> = (values: Readonly<Record<Parameter, unknown>>) => Statement;

/**
 * A prepared statement that knex compiles once, at its first use; from then on a call only puts values into their
 * places. `build` gets a placeholder for each parameter, good wherever knex takes a value but in `limit` and `offset`.
 * @param name under which connections prepare it: one for each text
 * @param effect the tables that it reads and changes
 * @throws Error at the first use for a parameter that the query does not use, and for a name that another one has
 */
export function compiled<Parameter extends string>(
  name: string,
  parameters: readonly Parameter[],
  build: Build<Parameter>,
  effect?: Effect,
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
  effect: Effect | undefined,
): Fill<Parameter> {
  const placeholders = parameters.map(placeholder);
  const named = Object.fromEntries(parameters.map((parameter, at) => [parameter, placeholders[at]]));
  const { text, places, writes } = layout(placeholders, build(named as Record<Parameter, Buffer>));
  const unused = parameters.filter((_, at) => !places.some((place) => place.at === at));
  if ((texts.get(name) ?? text) !== text) throw new Error(`another statement is named ${name}`);
  texts.set(name, text);
  if (unused.length > 0) throw new Error(`the statement ${name} does not use its parameters ${unused.join(", ")}`);
  const sources = places.map(({ at, constant }) => ({ parameter: parameters[at], constant }));
  const declared: Effect = { ...(writes && { writes }), ...effect };
  return (values) => ({
    name,
    text,
    ...declared,
    values: sources.map(({ parameter, constant }) =>
      parameter === undefined ? constant : (readOwn(values, parameter) ?? null),
    ),
  });
}

/** knex hands a Buffer on as it is; which one it was tells whose value goes there. It is never sent. */
const placeholder = (): Buffer => Buffer.alloc(0);

/** The text and effect of a query, and what is sent at each of its places: the value of a placeholder, or a constant. */
function layout(placeholders: readonly Buffer[], builder: Builder) {
  const { text, writes, values: bindings = [] } = toStatement(builder);
  const known = new Map<unknown, number>(placeholders.map((each, at) => [each, at]));
  return { text, writes, places: bindings.map((constant) => ({ at: known.get(constant) ?? -1, constant })) };
}

/**
 * The same for a query whose parameters have no names: `build` takes placeholders one after the other. Answers the text
 * and, for each value to send, which placeholder it belongs to.
 */
export function compiledInOrder(build: (take: () => Buffer) => Builder): { text: string; order: readonly number[] } {
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
