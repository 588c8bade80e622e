import type { Statement } from "../../../db/open.ts";
import { readOwn } from "../../../formats/own.ts";
import type { Build, Inputs } from "../../read/entity.ts";
import { statementName, withoutNul } from "../../read/prepared-statement.ts";
import { listGivenParameters, newBuild } from "../../read/row.ts";
import { isIdentifierShape, readShapes } from "../../read/shape.ts";
import { model } from "../../resources/index.ts";
import { limitResultSql } from "./answer-bound.ts";

/** A compiled statement. Each root field is a column of JSON text. */
export interface Plan {
  text: string;
  getters: Build["getters"];
  /** Tables that the statement reads. */
  reads: readonly string[];
  /**
   * Number of parameters up to the end of each root field, so that the server reports a bad value at the right root
   * field.
   */
  ends: readonly number[];
  /** Names of the values that an execution needs in addition to its arguments. */
  given: readonly string[];
  /** Points of the operation, if all requests with this plan's key cost the same. */
  points?: number | undefined;
  uses: number;
  /**
   * True if PostgreSQL should plan the statement at each execution, because filters, orders and search terms match
   * very different numbers of rows.
   */
  unnamed: boolean;
  /** Set at the third use. From then on the statement is prepared on every connection that runs it. */
  name?: string | undefined;
}

/** Statements with fewer uses are not worth the memory of a prepared statement on each connection. */
const MIN_USES = 3;

/**
 * Compiles the SQL of root fields from the plan key. `roots` contains a function per root field that writes its SQL.
 * A result that is too long becomes a mark; with `fails`, the statement fails and its transaction is rolled back.
 */
export function compilePlan(
  key: string,
  roots: readonly ((build: Build) => string)[],
  { fails = false, ...more }: { fails?: boolean } & Pick<Build, "searches" | "newestAlone"> = {},
): Plan {
  const shapes = readShapes(key);
  const build: Build = { ...newBuild(model, shapes), ...more };
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
 * Returns true if the best plan depends on the values. After five executions of a named statement, PostgreSQL may
 * choose a generic plan, which assumes an organization of average size and takes seconds for a large organization.
 * Planning at each execution costs 1 to 3 ms. An identifier as a search term matches only a handful of issues in any
 * organization, so it does not count.
 */
const varies = (shape: ReturnType<typeof readShapes>[number]): boolean =>
  shape !== 0 &&
  ["filter", "sort", "term"].some(
    (name) => readOwn(shape, name) !== undefined && !isIdentifierShape(readOwn(shape, name)),
  );

/** Returns the statement for one execution of a plan. */
export function toPlanStatement(plan: Plan, inputs: Inputs): Statement {
  const values: unknown[] = [];
  try {
    for (const get of plan.getters) values.push(withoutNul(get(inputs)));
  } catch (error) {
    throw new RootFailure(
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
export class RootFailure extends Error {
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
    throw new RootFailure(root, error);
  }
}
