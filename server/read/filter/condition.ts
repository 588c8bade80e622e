import type { ArgumentPath } from "../selection.ts";

export interface Condition {
  sql: string;
  /**
   * SQL that does not depend on the row and is false if no row can satisfy the condition; absent if such SQL does not
   * exist.
   */
  possible?: string;
}

/** Returns a condition without `possible` SQL, which must be evaluated for each row. */
export const plainCondition = (sql: string): Condition => ({ sql });

/** Combines conditions with `and`. */
export function combineAll(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return plainCondition("true");
  const sql = `(${conditions.map((each) => each.sql).join(" and ")})`;
  const known = conditions.flatMap(({ possible }) => possible ?? []);
  return known.length > 0 ? { sql, possible: known.join(" and ") } : plainCondition(sql);
}

/**
 * Combines conditions with `or`. If every condition has `possible` SQL, the database can check before the scan
 * whether any row can match, instead of reading all rows.
 */
function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return plainCondition("false");
  const sql = `(${conditions.map((each) => each.sql).join(" or ")})`;
  const known = conditions.flatMap(({ possible }) => (possible === undefined ? [] : `(${possible})`));
  if (known.length < conditions.length) return plainCondition(sql);
  const possible = `(${known.join(" or ")})`;
  return { sql: `(${sql} and ${possible})`, possible };
}

/** Combines the conditions of `and` or `or`. An empty `or` is false; an empty `and` is true. */
export function combineConditions(
  argument: ArgumentPath,
  word: "and" | "or",
  each: (part: ArgumentPath) => Condition,
): Condition {
  const parts = (argument.value as readonly unknown[]).map((value, at) =>
    each({ ...argument, path: [...argument.path, String(at)], value }),
  );
  return word === "and" ? combineAll(parts) : anyOf(parts);
}
