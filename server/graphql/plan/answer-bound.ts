import { buildCheckSql, hasFailedCheck } from "../../../db/checks.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { AppError } from "../../errors.ts";
import { limitPageSize, MAX_PAGE_SIZE } from "../../read/connection/page.ts";
import { throwIfTooManyToSort } from "../../read/connection/sorted-rows.ts";
import type { Entity, StatementInputs } from "../../read/entity.ts";
import { type Selection, selectedArguments } from "../../read/selection.ts";
import { entityModel } from "../../resources/index.ts";
import { MAX_RESPONSE_BYTES } from "../document/limits.ts";
import { FieldError } from "../request.ts";

/** Value that the database returns if the texts of a response are too long in total. JSON never begins with `!`. */
const TOO_LONG = "!";

/**
 * Limits the size of a statement's result, because texts too long for a response would also take too much of this
 * process's memory. Raw SQL: a fragment for the read planner.
 */
export function limitResultSql(columns: readonly string[], fails: boolean): string {
  const names = columns.map((_, at) => `a."${at}"`);
  const size = names.map((name) => `coalesce(octet_length(${name}), 0)::bigint`).join(" + ");
  const fits = `${size} <= ${MAX_RESPONSE_BYTES}`;
  const kept = names.map((name, at) =>
    fails
      ? `case when ${buildCheckSql("answerFits", fits)} then ${name} end as "${at}"`
      : `case when ${fits} then ${name} else '${TOO_LONG}' end as "${at}"`,
  );
  // OFFSET 0 stops PostgreSQL from computing each text twice. The test recorded-brief.test fails without OFFSET 0.
  return `select ${kept.join(", ")} from (select ${columns.join(", ")} offset 0) a`;
}

/** Returns true if a statement failed because the total length of its texts exceeds the limit. */
export const isResponseTooLongError = (error: unknown): boolean => hasFailedCheck("answerFits", error);

export const responseTooLongError = () =>
  new AppError(
    "too_large",
    `the answer would be larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB; ask for fewer rows with first, or for less of each`,
  );

/** Result of a plan: the JSON text of each root field, by its index. */
export type PlanRow = Readonly<Record<string, string | null>>;

/**
 * Returns the text of a root field from a plan's result, or undefined if the result has no text. @throws AppError
 * too_large, or inputError for an order that would sort too many rows
 */
export function readRootText(row: PlanRow | undefined, at: number): string | undefined {
  const text = row?.[at] ?? undefined;
  throwIfTooManyToSort(text);
  if (text !== TOO_LONG) return text;
  throw responseTooLongError();
}

/**
 * Rejects a response with too many bytes of long text before the database builds the response. If the possible maximum
 * exceeds the limit, the server first reads only the sizes of the texts, without loading the texts.
 * @throws FieldError
 */
export async function rejectTooLongResponse(
  roots: readonly Selection[],
  args: StatementInputs["args"],
  sizes: (long: readonly Selection[]) => Promise<PlanRow | undefined>,
): Promise<void> {
  const long = knownLong.get(roots) ?? longIn(roots);
  knownLong.set(roots, long);
  const [first] = long;
  if (!first || mostBytes(long, args) <= MAX_RESPONSE_BYTES) return;
  const row = await sizes(long);
  const bytes = long.reduce((sum, _, at) => sum + sumOf(JSON.parse(readRootText(row, at) ?? "0")), 0);
  if (bytes > MAX_RESPONSE_BYTES) throw new FieldError(first.key, responseTooLongError());
}

/** Results of `longIn`, cached for as long as the selections of their document exist. */
const knownLong = new WeakMap<readonly Selection[], readonly Selection[]>();

/** Returns the selections that lead to long values, with `measured` set on the long values. */
const longIn = (selections: readonly Selection[], entity?: Entity): Selection[] =>
  selections.flatMap((selection): Selection[] => {
    if (selection.constant !== undefined) return [];
    if (getOwnProperty(entity?.tuning?.long, selection.field)) return [{ ...selection, measured: true }];
    const children = longIn(selection.children, entityModel.get(selection.type));
    return children.length > 0 ? [{ ...selection, children }] : [];
  });

/**
 * Returns the maximum bytes of the long values. The bytes of an entry are multiplied by the size of the page, or by the
 * maximum page size for a list without pages.
 */
function mostBytes(long: readonly Selection[], args: StatementInputs["args"], entity?: Entity, inPage = false): number {
  return long.reduce((sum, selection) => {
    const { field, connection, list, children, measured } = selection;
    if (measured)
      return (
        sum +
        Math.min(
          getOwnProperty(entity?.tuning?.long, field) ?? 0,
          4 * Number(selectedArguments(selection, args).maxLength ?? MANY),
        )
      );
    const times = connection ? limitPageSize(selectedArguments(selection, args)) : list && !inPage ? MAX_PAGE_SIZE : 1;
    return sum + times * mostBytes(children, args, entityModel.get(selection.type), connection);
  }, 0);
}

const MANY = Number.MAX_SAFE_INTEGER;

/** Returns the sum of all numbers in a value. */
const sumOf = (value: unknown): number =>
  typeof value === "number" ? value : Object.values(value ?? {}).reduce((sum: number, each) => sum + sumOf(each), 0);
