import type { Statement } from "../../../db/open.ts";
import { readOwn } from "../../../formats/own.ts";
import type { Build, Inputs } from "../../read/entity.ts";
import { statementName, withoutNul } from "../../read/prepared-statement.ts";
import { givenIn, newBuild } from "../../read/row.ts";
import { isIdentifierShape, readShapes } from "../../read/shape.ts";
import { model } from "../../resources/index.ts";
import { boundedSql } from "./answer-bound.ts";

/** A compiled statement: one column of JSON text a root field. */
export interface Plan {
  text: string;
  getters: Build["getters"];
  /** The tables that it reads. */
  reads: readonly string[];
  /** The number of parameters up to the end of each root field, so that a bad value is reported at the right one. */
  ends: readonly number[];
  /** Names of the values that an execution must be given beside its arguments. */
  given: readonly string[];
  /** Points of the operation, where whatever has the key of this plan costs the same. */
  points?: number | undefined;
  uses: number;
  /** Has it planned anew at each execution: filters, orders and search terms find too different numbers of rows. */
  unnamed: boolean;
  /** Set with the third use: from then on it is a prepared statement on every connection it meets. */
  name?: string | undefined;
}

/** A statement that runs less often is not worth the memory that preparing it takes on each connection. */
const MIN_USES = 3;

/**
 * Compiles the SQL of root fields from the key of their arguments; `write` gives the SQL of each. An answer that is
 * too long is replaced by a mark, or with `fails` fails the statement and so undoes its transaction.
 */
export function compile(
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
  const text = boundedSql(columns, fails);
  const { getters, reads } = build;
  const unnamed = !fails && shapes.some(varies);
  return { text, getters, reads: [...reads], ends, given: givenIn(build), uses: 0, unnamed };
}

/**
 * True when the best plan depends on the values. After five executions of a named statement PostgreSQL may take a plan
 * for any values. That plan takes each organization for an average one, which costs a large one seconds; planning anew
 * costs 1 to 3 ms. A term that is an identifier finds at most a handful of issues in any organization.
 */
const varies = (shape: ReturnType<typeof readShapes>[number]): boolean =>
  shape !== 0 &&
  ["filter", "sort", "term"].some(
    (name) => readOwn(shape, name) !== undefined && !isIdentifierShape(readOwn(shape, name)),
  );

/** The statement of one execution of a plan. */
export function statement(plan: Plan, inputs: Inputs): Statement {
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

/** Bad input of one of several root fields. */
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
