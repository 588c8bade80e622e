import { inputError } from "../../errors.ts";
import { isHidden, isLongList } from "../shape.ts";

/** Bounds of a filter: more would keep the database at one request for too long. */
const MAX_COMPARISONS = 100;
const MAX_DEPTH = 6;
/** Most members of a list of values. */
export const MAX_LISTED = 250;

const CURE = "leave it out, or write null: true for rows without a value (exists: false for a key)";

/**
 * Rejects a filter that asks for too much work or contains a null, by its shape.
 * @throws inputError naming where.
 */
export function checkFilter(filter: unknown, path: readonly string[] = ["filter"]): void {
  const name = path.join(".");
  if (comparisonsIn(filter, path, 0) > MAX_COMPARISONS)
    throw inputError(`${name} takes at most ${MAX_COMPARISONS} comparisons`, name);
}

/** The comparator itself does not count as a level. */
function comparisonsIn(value: unknown, path: readonly string[], depth: number): number {
  if (isLongList(value) || (!isHidden(value) && Array.isArray(value) && value.length > MAX_LISTED))
    throw inputError(`${path.join(".")} takes at most ${MAX_LISTED} values`, path.join("."));
  // A condition that is null is not one that was left out: ignored, it would match every row.
  if (value === null) throw inputError(`${path.join(".")} must not be null: ${CURE}`, path.join("."));
  if (typeof value !== "object" || isHidden(value)) return 1;
  if (Array.isArray(value)) {
    if (value.every(isHidden)) return 1;
    return value.reduce((sum: number, each, at) => sum + comparisonsIn(each, [...path, String(at)], depth), 0);
  }
  // Operands of a condition on a key are JSON values, in which a null is a value.
  if (isHidden(Reflect.get(value, "key"))) return keyedIn(value, path);
  if (depth > MAX_DEPTH) throw inputError(`${path.join(".")}: nest filters at most ${MAX_DEPTH} levels deep`, "filter");
  return Object.entries(value).reduce((sum, [name, each]) => sum + comparisonsIn(each, [...path, name], depth + 1), 0);
}

function keyedIn(value: object, path: readonly string[]): number {
  const isLong = (operand: object) => Array.isArray(operand) && operand.length > MAX_LISTED;
  const isJson = (operand: unknown) =>
    typeof operand === "object" && operand !== null && !isHidden(operand) && !isLong(operand);
  return Object.entries(value).reduce(
    (sum, [name, each]) => sum + (isJson(each) ? 1 : comparisonsIn(each, [...path, name], 0)),
    0,
  );
}

/**
 * Rejects a filter of which a part asks for nothing, such as `{team: {}}`: whoever built it meant a condition. Lists of rows
 * take it; what acts on the rows does not. The whole filter may be empty, and so may `some`, which asks for any row, and a
 * member of `and`, which adds no condition to the others: the programs of 0.2.0 send such members.
 * @throws inputError naming where.
 */
export function checkComplete(filter: object, path: readonly string[]): void {
  for (const [name, value] of Object.entries(filter)) {
    const at = [...path, name];
    if (typeof value !== "object" || value === null) continue;
    const mayBeEmpty = ["some", "in", "or"].includes(name) || path.at(-1) === "and";
    if (Object.keys(value).length === 0 && !mayBeEmpty)
      throw inputError(
        `${at.join(".")} is empty and would match everything: give it a condition or leave it out`,
        at.join("."),
      );
    checkComplete(value, at);
  }
}

/** Letters of what is looked for that are priced as one comparison of a long text: one that repeats its beginning is compared again at each place. */
const PRICED_LETTERS = 64;

/** The number of comparisons of a long text that something to look for counts as. */
export const comparisonsOf = (value: unknown): number =>
  typeof value === "string" ? Math.max(1, Math.ceil(value.length / PRICED_LETTERS)) : 1;
