import { checkSql, hasFailed } from "../../../db/checks.ts";
import { AppError } from "../../errors.ts";
import { refuseUnsorted } from "../../read/connection/sorted-rows.ts";
import { MAX_ANSWER_BYTES } from "../document/limits.ts";

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
