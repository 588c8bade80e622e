import { inputError } from "../errors.ts";

/** Bounds of a filter (decisions §3). */
const MAX_COMPARISONS = 100;
const MAX_DEPTH = 6;
const MAX_LISTED = 250;

/**
 * Refuses a filter that asks for too much work.
 * @throws inputError naming where.
 */
export function checkFilter(filter: unknown): void {
  if (comparisonsIn(filter, ["filter"], 0) > MAX_COMPARISONS)
    throw inputError(`filter takes at most ${MAX_COMPARISONS} comparisons`, "filter");
}

/** The comparator itself does not count as a level. */
function comparisonsIn(value: unknown, path: readonly string[], depth: number): number {
  if (value === null || value === undefined) return 0;
  if (typeof value !== "object") return 1;
  if (Array.isArray(value)) {
    if (value.length > MAX_LISTED)
      throw inputError(`${path.join(".")} takes at most ${MAX_LISTED} values`, path.join("."));
    if (typeof value[0] !== "object") return 1;
    return value.reduce((sum: number, each, at) => sum + comparisonsIn(each, [...path, String(at)], depth), 0);
  }
  if (depth > MAX_DEPTH) throw inputError(`${path.join(".")}: nest filters at most ${MAX_DEPTH} levels deep`, "filter");
  return Object.entries(value).reduce((sum, [name, each]) => sum + comparisonsIn(each, [...path, name], depth + 1), 0);
}
