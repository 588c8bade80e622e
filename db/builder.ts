import knexFactory, { type Knex } from "knex";
import type { Statement } from "./database.ts";

const quiet = () => {};
const log = { warn: quiet, error: quiet, debug: quiet, deprecate: quiet };

/**
 * knex as a query builder that has no connection: what it builds is sent with `query` of the database or of the
 * transaction in hand, where deadlines, retries and the pipeline are.
 */
export const knex: Knex = knexFactory({ client: "pg", version: "15", compileSqlOnError: false, log });

type Builder = Knex.QueryBuilder | Knex.Raw;

/** A query as the driver takes it. For what runs often see `compiled`. */
export function toStatement(builder: Builder): Statement {
  const { sql, bindings } = builder.toSQL().toNative();
  return { text: sql, values: bindings };
}

/** What builds a query around a placeholder for each of its parameters. */
type Build<Parameter extends string> = (placeholders: Record<Parameter, Buffer>) => Builder;

/** Gives a statement its values: for a parameter that is undefined, null. */
type Fill<Parameter extends string> = (values: Readonly<Record<Parameter, unknown>>) => Statement;

/**
 * A prepared statement that knex compiles once, at its first use; from then on a call only puts values into their
 * places. `build` gets a placeholder for each parameter, good wherever knex takes a value but in `limit` and `offset`.
 * @param name under which connections prepare it: one for each text
 * @throws Error at the first use for a parameter that the query does not use
 */
export function compiled<Parameter extends string>(
  name: string,
  parameters: readonly Parameter[],
  build: Build<Parameter>,
): Fill<Parameter> {
  let fill: Fill<Parameter> | undefined;
  return (values) => {
    fill ??= compile(name, parameters, build);
    return fill(values);
  };
}

function compile<Parameter extends string>(
  name: string,
  parameters: readonly Parameter[],
  build: Build<Parameter>,
): Fill<Parameter> {
  // knex hands a Buffer on as it is; which one it was tells the parameter. It is never sent.
  const placeholders = Object.fromEntries(parameters.map((parameter) => [parameter, Buffer.from(parameter)]));
  const parameterOf = new Map<unknown, Parameter>(parameters.map((parameter) => [placeholders[parameter], parameter]));
  const { text, values: bindings = [] } = toStatement(build(placeholders as Record<Parameter, Buffer>));
  const places = bindings.map((constant) => ({ parameter: parameterOf.get(constant), constant }));
  const unused = parameters.filter((parameter) => !places.some((place) => place.parameter === parameter));
  if (unused.length > 0) throw new Error(`the statement ${name} does not use its parameters ${unused.join(", ")}`);
  return (values) => ({
    name,
    text,
    values: places.map(({ parameter, constant }) => (parameter === undefined ? constant : (values[parameter] ?? null))),
  });
}
