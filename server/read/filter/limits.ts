import { inputError } from "../../errors.ts";
import { isLongList, isUnknownValue } from "../shape.ts";

/** Limits of a filter. One request with a larger filter would occupy the database for too long. */
const MAX_COMPARISONS = 100;
const MAX_DEPTH = 6;
/** Maximum number of values in a list. */
export const MAX_LIST_VALUES = 250;

const CURE = "leave it out, or write null: true for rows without a value (exists: false for a key)";

/**
 * Rejects a filter, by its shape, if the filter causes too much work or contains a null.
 * @throws inputError with the path.
 */
export function validateFilter(filter: unknown, path: readonly string[] = ["filter"]): void {
  const name = path.join(".");
  if (comparisonsIn(filter, path, 0) > MAX_COMPARISONS)
    throw inputError(`${name} takes at most ${MAX_COMPARISONS} comparisons`, name);
}

/** Counts the comparisons of a filter. A comparator such as `eq` does not count as a level of nesting. */
function comparisonsIn(value: unknown, path: readonly string[], depth: number): number {
  if (isLongList(value) || (!isUnknownValue(value) && Array.isArray(value) && value.length > MAX_LIST_VALUES))
    throw inputError(`${path.join(".")} takes at most ${MAX_LIST_VALUES} values`, path.join("."));
  // Rejects null, because null does not mean that the condition is absent. If the server ignored the null, the filter
  // would match every row.
  if (value === null) throw inputError(`${path.join(".")} must not be null: ${CURE}`, path.join("."));
  if (typeof value !== "object" || isUnknownValue(value)) return 1;
  if (Array.isArray(value)) {
    if (value.every(isUnknownValue)) return 1;
    return value.reduce((sum: number, each, at) => sum + comparisonsIn(each, [...path, String(at)], depth), 0);
  }
  // Operands of a condition on a metadata key are JSON values. Null is a valid JSON value.
  if (isUnknownValue(Reflect.get(value, "key"))) return keyedIn(value, path);
  if (depth > MAX_DEPTH) throw inputError(`${path.join(".")}: nest filters at most ${MAX_DEPTH} levels deep`, "filter");
  return Object.entries(value).reduce((sum, [name, each]) => sum + comparisonsIn(each, [...path, name], depth + 1), 0);
}

function keyedIn(value: object, path: readonly string[]): number {
  const isLong = (operand: object) => Array.isArray(operand) && operand.length > MAX_LIST_VALUES;
  const isJson = (operand: unknown) =>
    typeof operand === "object" && operand !== null && !isUnknownValue(operand) && !isLong(operand);
  return Object.entries(value).reduce(
    (sum, [name, each]) => sum + (isJson(each) ? 1 : comparisonsIn(each, [...path, name], 0)),
    0,
  );
}

/**
 * Rejects a filter with an empty condition, such as `{team: {}}`, because the caller must have meant a condition.
 * Mutations on many rows call this check; lists accept empty conditions. These are allowed: a filter that is empty as a
 * whole; an empty `some`, which matches any row; an empty `in` or `or`, which matches no row; and an empty entry of
 * `and`, which adds no condition and which clients of 0.2.0 send.
 * @throws inputError with the path.
 */
export function rejectEmptyFilterParts(filter: object, path: readonly string[]): void {
  for (const [name, value] of Object.entries(filter)) {
    const at = [...path, name];
    if (typeof value !== "object" || value === null) continue;
    const mayBeEmpty = ["some", "in", "or"].includes(name) || path.at(-1) === "and";
    if (Object.keys(value).length === 0 && !mayBeEmpty)
      throw inputError(
        `${at.join(".")} is empty and would match everything: add a condition or remove the filter`,
        at.join("."),
      );
    rejectEmptyFilterParts(value, at);
  }
}

/**
 * Number of characters of a search text that count as one comparison of a long text. Longer search texts cost more,
 * because PostgreSQL compares a repetitive search text again at each position.
 */
const PRICED_LETTERS = 64;

/** Returns how many long-text comparisons the server charges for a comparison with a search text. */
export const countComparisons = (value: unknown): number =>
  typeof value === "string" ? Math.max(1, Math.ceil(value.length / PRICED_LETTERS)) : 1;
