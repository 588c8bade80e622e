import type { Statement } from "../../../db/open.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import type { StatementBuild, StatementInputs } from "../../read/entity.ts";
import { statementName, withoutNul } from "../../read/prepared-statement.ts";
import { createStatementBuild, listGivenParameters } from "../../read/row.ts";
import { isIdentifierShape, parsePlanKey } from "../../read/shape.ts";
import { entityModel } from "../../resources/index.ts";
import { limitResultSql } from "./answer-bound.ts";

/** A compiled statement. Each root field is a column of JSON text. */
export interface CompiledPlan {
  text: string;
  getters: StatementBuild["getters"];
  /** Tables that the statement reads. */
  reads: readonly string[];
  /**
   * For each root field, the number of parameters up to its end. If a parameter has a bad value, the server finds the
   * root field by this number.
   */
  ends: readonly number[];
  /** Names of the values that an execution needs in addition to its arguments. */
  given: readonly string[];
  /** Points of the operation, if all requests with this plan's key cost the same. */
  points?: number | undefined;
  uses: number;
  /**
   * True if PostgreSQL should plan the statement at each execution. Filters, orders and search terms match very
   * different numbers of rows, so no single plan suits all values.
   */
  unnamed: boolean;
  /**
   * Name of the prepared statement, set at the third use. From then on, every connection that runs the statement
   * prepares the statement.
   */
  name?: string | undefined;
}

/**
 * Minimum number of uses of a prepared statement. A statement with fewer uses is not worth the memory of a prepared
 * statement on each connection.
 */
const MIN_USES = 3;

/**
 * Compiles the SQL of root fields from the plan key. `roots` contains one function per root field, which writes the
 * field's SQL. If the result is too long, the statement returns a mark in place of the texts; with `fails`, the
 * statement fails instead and its transaction is rolled back.
 */
export function compilePlan(
  key: string,
  roots: readonly ((build: StatementBuild) => string)[],
  { fails = false, ...more }: { fails?: boolean } & Pick<StatementBuild, "searches" | "newestAlone"> = {},
): CompiledPlan {
  const shapes = parsePlanKey(key);
  const build: StatementBuild = { ...createStatementBuild(entityModel, shapes), ...more };
  const ends: number[] = [];
  const columns = roots.map((write, at) => {
    const sql = atRoot(at, () => write(build));
    ends.push(build.getters.length);
    return `(${sql})::text as "${at}"`;
  });
  const text = limitResultSql(columns, fails);
  const { getters, reads } = build;
  const unnamed = !fails && shapes.some(varies);
  return { text, getters, reads: [...reads], ends, given: listGivenParameters(build), uses: 0, unnamed };
}

/**
 * Returns true if the best plan depends on the values of the arguments. After five executions of a named statement,
 * PostgreSQL may choose a generic plan, which assumes an organization of average size and takes seconds for a large
 * organization. Planning at each execution costs only 1 to 3 ms. A search term that is an identifier matches only a
 * handful of issues in any organization, so such a term does not count.
 */
const varies = (shape: ReturnType<typeof parsePlanKey>[number]): boolean =>
  shape !== 0 &&
  ["filter", "sort", "term"].some(
    (name) => getOwnProperty(shape, name) !== undefined && !isIdentifierShape(getOwnProperty(shape, name)),
  );

/** Returns the statement for one execution of a plan. */
export function toPlanStatement(plan: CompiledPlan, inputs: StatementInputs): Statement {
  const values: unknown[] = [];
  try {
    for (const get of plan.getters) values.push(withoutNul(get(inputs)));
  } catch (error) {
    throw new RootFieldError(
      plan.ends.findIndex((end) => values.length < end),
      error,
    );
  }
  plan.uses += 1;
  if (plan.uses === MIN_USES && !plan.unnamed) plan.name = statementName("read", plan.text);
  const { text, reads, name } = plan;
  return { text, values, reads, writes: [], ...(name !== undefined && { name }) };
}

/** Error of one root field, with the index of the root field. */
export class RootFieldError extends Error {
  readonly root: number;

  constructor(root: number, cause: unknown) {
    super("a root field failed", { cause });
    this.root = root;
  }
}

function atRoot<T>(root: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new RootFieldError(root, error);
  }
}
