import { checkSql, hasFailed } from "../../../db/checks.ts";
import { readOwn } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import { MAX_PAGE, sizeOf } from "../../read/connection/page.ts";
import { refuseUnsorted } from "../../read/connection/sorted-rows.ts";
import type { Entity, Inputs } from "../../read/entity.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { model } from "../../resources/index.ts";
import { MAX_ANSWER_BYTES } from "../document/limits.ts";
import { FieldError } from "../request.ts";

/** The mark the database answers instead of texts that are too long together. JSON never begins like this. */
const TOO_LONG = "!";

/**
 * Bounds what leaves the database: a text too long for an answer would also take too much memory of this process.
 * Raw SQL: the read planner writes it.
 */
export function boundedSql(columns: readonly string[], fails: boolean): string {
  const names = columns.map((_, at) => `a."${at}"`);
  const size = names.map((name) => `coalesce(octet_length(${name}), 0)::bigint`).join(" + ");
  const fits = `${size} <= ${MAX_ANSWER_BYTES}`;
  const kept = names.map((name, at) =>
    fails
      ? `case when ${checkSql("answerFits", fits)} then ${name} end as "${at}"`
      : `case when ${fits} then ${name} else '${TOO_LONG}' end as "${at}"`,
  );
  // OFFSET 0 keeps the planner from making each text twice: recorded-brief.test fails without it.
  return `select ${kept.join(", ")} from (select ${columns.join(", ")} offset 0) a`;
}

/** Tells whether a statement failed because its texts are too long together. */
export const isTooLong = (error: unknown): boolean => hasFailed("answerFits", error);

/** Why an answer is refused for its length. */
export const tooLong = () =>
  new AppError(
    "too_large",
    `the answer would be larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB; ask for fewer rows with first, or for less of each`,
  );

/** The answer of a plan: the JSON text of each root field, by its index. */
export type PlanRow = Readonly<Record<string, string | null>>;

/** The text of a root field in the row that a plan answered; undefined for none. @throws AppError too_large, or inputError for an order that would sort too many */
export function textOf(row: PlanRow | undefined, at: number): string | undefined {
  const text = row?.[at] ?? undefined;
  refuseUnsorted(text);
  if (text !== TOO_LONG) return text;
  throw tooLong();
}

/**
 * Refuses an answer that its long texts would make too long, before the database puts it together: where they might,
 * the sizes of the same rows are read first, which needs none of the texts.
 * @throws FieldError
 */
export async function refuseTooLong(
  roots: readonly Selection[],
  args: Inputs["args"],
  sizes: (long: readonly Selection[]) => Promise<PlanRow | undefined>,
): Promise<void> {
  const long = knownLong.get(roots) ?? longIn(roots);
  knownLong.set(roots, long);
  const [first] = long;
  if (!first || mostBytes(long, args) <= MAX_ANSWER_BYTES) return;
  const row = await sizes(long);
  const bytes = long.reduce((sum, _, at) => sum + sumOf(JSON.parse(textOf(row, at) ?? "0")), 0);
  if (bytes > MAX_ANSWER_BYTES) throw new FieldError(first.key, tooLong());
}

/** The selections that long values were found in, kept as long as those of their document. */
const knownLong = new WeakMap<readonly Selection[], readonly Selection[]>();

/** The selections that lead to long values, whose size is asked for. */
const longIn = (selections: readonly Selection[], entity?: Entity): Selection[] =>
  selections.flatMap((selection): Selection[] => {
    if (selection.constant !== undefined) return [];
    if (readOwn(entity?.tuning?.long, selection.field)) return [{ ...selection, measured: true }];
    const children = longIn(selection.children, model.get(selection.type));
    return children.length > 0 ? [{ ...selection, children }] : [];
  });

/** The most bytes that the values can have. A page multiplies its content, and so does a list that has no pages. */
function mostBytes(long: readonly Selection[], args: Inputs["args"], entity?: Entity, inPage = false): number {
  return long.reduce((sum, selection) => {
    const { field, connection, list, children, measured } = selection;
    if (measured)
      return (
        sum + Math.min(readOwn(entity?.tuning?.long, field) ?? 0, 4 * Number(argsOf(selection, args).maxLength ?? MANY))
      );
    const times = connection ? sizeOf(argsOf(selection, args)) : list && !inPage ? MAX_PAGE : 1;
    return sum + times * mostBytes(children, args, model.get(selection.type), connection);
  }, 0);
}

const MANY = Number.MAX_SAFE_INTEGER;

/** All numbers in a value. */
const sumOf = (value: unknown): number =>
  typeof value === "number" ? value : Object.values(value ?? {}).reduce((sum: number, each) => sum + sumOf(each), 0);
