import { getArgumentValues } from "graphql";
import type { Statement } from "../../db/open.ts";
import { AppError } from "../errors.ts";
import { type Build, type Inputs, newBuild } from "../read/row.ts";
import { readShapes } from "../read/shape.ts";
import { statementNames } from "../read/statement-names.ts";
import { model } from "../resources/index.ts";
import { TOO_LONG_CODE } from "../write/constraint.ts";
import type { Slot } from "./collect.ts";
import { MAX_ANSWER_BYTES } from "./limits.ts";

/** A compiled statement: one column of JSON text a root field. */
export interface Plan {
  text: string;
  getters: Build["getters"];
  /** How many parameters the root fields up to each one take, so that a bad value is told of the right one. */
  ends: readonly number[];
  uses: number;
  /** Set with the third use: from then on it is a prepared statement on every connection it meets. */
  name?: string | undefined;
}

/** Statements that come seldom are not worth a connection's memory. */
const MIN_USES = 3;
const nameOf = statementNames("read");

/**
 * Compiles the SQL of root fields from the key of their arguments; `write` gives the SQL of each. An answer that is too
 * long is told in its place, or `fails` the statement and the transaction it is in.
 */
export function compile(key: string, roots: readonly ((build: Build) => string)[], fails = false): Plan {
  const build = newBuild(model, readShapes(key));
  const ends: number[] = [];
  const columns = roots.map((write, at) => {
    const sql = told(at, () => write(build));
    ends.push(build.getters.length);
    return `(${sql})::text as "${at}"`;
  });
  return { text: bounded(columns, fails), getters: build.getters, ends, uses: 0 };
}

/** What the database answers in the place of texts that are too long together; JSON never begins like this. */
const TOO_LONG = "!";

/** Whether a statement failed because its texts are too long together. */
export const isTooLong = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === TOO_LONG_CODE;

/**
 * Bounds what leaves the database: texts too long for an answer would be too long for this process. Raw SQL: the read
 * planner writes it.
 */
function bounded(columns: readonly string[], fails: boolean): string {
  const names = columns.map((_, at) => `a."${at}"`);
  const size = names.map((name) => `coalesce(octet_length(${name}), 0)::bigint`).join(" + ");
  const told = fails ? `ln(0 * (${size})::float8)::text` : `'${TOO_LONG}'`;
  const kept = names.map(
    (name, at) => `case when ${size} <= ${MAX_ANSWER_BYTES} then ${name} else ${told} end as "${at}"`,
  );
  // OFFSET keeps the planner from writing each text out twice.
  return `select ${kept.join(", ")} from (select ${columns.join(", ")} offset 0) a`;
}

/** Why an answer is refused for its length. */
export const tooLong = () =>
  new AppError(
    "too_large",
    `the answer would be larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB; ask for fewer rows with first, or for less of each`,
  );

/** What a plan answers: a text a root field, by its place. */
export type AnswerRow = Readonly<Record<string, string | null>>;

/** The text of a root field in the row that a plan answered; undefined for none. @throws AppError too_large */
export function textOf(row: AnswerRow | undefined, at: number): string | undefined {
  const text = row?.[at] ?? undefined;
  if (text !== TOO_LONG) return text;
  throw tooLong();
}

/** The statement of one execution of a plan. */
export function statement(plan: Plan, inputs: Inputs): Statement {
  const values = plan.getters.map((get, at) =>
    told(
      plan.ends.findIndex((end) => at < end),
      () => get(inputs),
    ),
  );
  plan.uses += 1;
  if (plan.uses === MIN_USES) plan.name = nameOf(plan.text);
  return plan.name === undefined ? { text: plan.text, values } : { text: plan.text, values, name: plan.name };
}

/** Bad input of one of several root fields. */
export class RootFailure extends Error {
  readonly root: number;

  constructor(root: number, cause: unknown) {
    super("a root field failed", { cause });
    this.root = root;
  }
}

function told<T>(root: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new RootFailure(root, error);
  }
}

/** Coerces the arguments of every field that takes any. @throws GraphQLError for a value of the wrong type. */
export const argumentsOf = (slots: readonly Slot[], variables: Readonly<Record<string, unknown>>) =>
  slots.map(({ definition, node, fixed }) => fixed ?? getArgumentValues(definition, node, variables));
