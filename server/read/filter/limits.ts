import { inputError } from "../../errors.ts";
import { isHidden, isLongList } from "../shape.ts";

/** Bounds of a filter: more would keep the database at one request for too long. */
const MAX_COMPARISONS = 100;
const MAX_DEPTH = 6;
/** Most members of a list of values. */
export const MAX_LISTED = 250;

/**
 * Refuses a filter that asks for too much work, by its shape.
 * @throws inputError naming where.
 */
export function checkFilter(filter: unknown): void {
  if (comparisonsIn(filter, ["filter"], 0) > MAX_COMPARISONS)
    throw inputError(`filter takes at most ${MAX_COMPARISONS} comparisons`, "filter");
}

/** The comparator itself does not count as a level. */
function comparisonsIn(value: unknown, path: readonly string[], depth: number): number {
  if (isLongList(value) || (!isHidden(value) && Array.isArray(value) && value.length > MAX_LISTED))
    throw inputError(`${path.join(".")} takes at most ${MAX_LISTED} values`, path.join("."));
  if (typeof value !== "object" || value === null || isHidden(value)) return 1;
  if (Array.isArray(value)) {
    if (value.every(isHidden)) return 1;
    return value.reduce((sum: number, each, at) => sum + comparisonsIn(each, [...path, String(at)], depth), 0);
  }
  if (depth > MAX_DEPTH) throw inputError(`${path.join(".")}: nest filters at most ${MAX_DEPTH} levels deep`, "filter");
  return Object.entries(value).reduce((sum, [name, each]) => sum + comparisonsIn(each, [...path, name], depth + 1), 0);
}

/** Letters of what is looked for that are priced as one comparison of a long text: one that repeats its beginning is compared again at each place. */
const PRICED_LETTERS = 64;

/** The number of comparisons of a long text that something to look for counts as. */
export const comparisonsOf = (value: unknown): number =>
  typeof value === "string" ? Math.max(1, Math.ceil(value.length / PRICED_LETTERS)) : 1;
