import type { Statement } from "../../../db/open.ts";
import { AppError } from "../../errors.ts";
import { refuseUnsorted } from "../../read/connection/sorted-rows.ts";
import type { Build, Inputs } from "../../read/entity.ts";
import { givenIn, newBuild } from "../../read/row.ts";
import { readShapes } from "../../read/shape.ts";
import { statementNames } from "../../read/statement-names.ts";
import { model } from "../../resources/index.ts";
import { TOO_LONG_CODE } from "../../write/constraint.ts";
import { MAX_ANSWER_BYTES } from "../document/limits.ts";

/** A compiled statement: one column of JSON text a root field. */
export interface Plan {
  text: string;
  getters: Build["getters"];
  /** How many parameters the root fields up to each one take, so that a bad value is reported at the right one. */
  ends: readonly number[];
  /** Names of the values that an execution must be given beside its arguments. */
  given: readonly string[];
  uses: number;
  /** Whether it is planned anew at each execution: how much a filter, an order or a word finds differs too much. */
  unnamed: boolean;
  /** Set with the third use: from then on it is a prepared statement on every connection it meets. */
  name?: string | undefined;
}

/** A statement that runs less often is not worth the memory that preparing it takes on each connection. */
const MIN_USES = 3;
const nameOf = statementNames("read");

/**
 * Compiles the SQL of root fields from the key of their arguments; `write` gives the SQL of each. An answer that is
 * too long is replaced by a mark, or with `fails` fails the statement and so undoes its transaction.
 */
export function compile(key: string, roots: readonly ((build: Build) => string)[], fails = false): Plan {
  const shapes = readShapes(key);
  const build = newBuild(model, shapes);
  const ends: number[] = [];
  const columns = roots.map((write, at) => {
    const sql = atRoot(at, () => write(build));
    ends.push(build.getters.length);
    return `(${sql})::text as "${at}"`;
  });
  const text = bounded(columns, fails);
  return { text, getters: build.getters, ends, given: givenIn(build), uses: 0, unnamed: !fails && shapes.some(varies) };
}

/**
 * Whether the best plan depends on the values. After a few executions of a name PostgreSQL takes a plan for any values,
 * and takes each organization for an average one, which costs a large one seconds; planning anew costs 1 to 3 ms.
 */
const varies = (shape: ReturnType<typeof readShapes>[number]): boolean =>
  shape !== 0 && ["filter", "sort", "term"].some((name) => shape[name] !== undefined);

/** The mark the database answers instead of texts that are too long together. JSON never begins like this. */
const TOO_LONG = "!";

/** Whether a statement failed because its texts are too long together. */
export const isTooLong = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === TOO_LONG_CODE;

/**
 * Bounds what leaves the database: a text too long for an answer would also take too much memory of this process.
 * Raw SQL: the read planner writes it.
 */
function bounded(columns: readonly string[], fails: boolean): string {
  const names = columns.map((_, at) => `a."${at}"`);
  const size = names.map((name) => `coalesce(octet_length(${name}), 0)::bigint`).join(" + ");
  const whenTooLong = fails ? `ln(0 * (${size})::float8)::text` : `'${TOO_LONG}'`;
  const kept = names.map(
    (name, at) => `case when ${size} <= ${MAX_ANSWER_BYTES} then ${name} else ${whenTooLong} end as "${at}"`,
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

/** What a plan answers: the JSON text of each root field, by its index. */
export type PlanRow = Readonly<Record<string, string | null>>;

/** The text of a root field in the row that a plan answered; undefined for none. @throws AppError too_large, or inputError for an order that would sort too many */
export function textOf(row: PlanRow | undefined, at: number): string | undefined {
  const text = row?.[at] ?? undefined;
  refuseUnsorted(text);
  if (text !== TOO_LONG) return text;
  throw tooLong();
}

/** The statement of one execution of a plan. */
export function statement(plan: Plan, inputs: Inputs): Statement {
  const values = plan.getters.map((get, at) =>
    atRoot(
      plan.ends.findIndex((end) => at < end),
      () => get(inputs),
    ),
  );
  plan.uses += 1;
  if (plan.uses === MIN_USES && !plan.unnamed) plan.name = nameOf(plan.text);
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

function atRoot<T>(root: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new RootFailure(root, error);
  }
}
