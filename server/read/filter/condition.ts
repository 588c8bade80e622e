import type { ArgumentPath } from "../selection.ts";

export interface SqlCondition {
  sql: string;
  /**
   * SQL that is false if no row can satisfy the condition. The SQL does not depend on the row. The field is absent if
   * no such SQL exists.
   */
  possible?: string;
}

/** Returns a condition that has no `possible` SQL. The database must evaluate the condition for each row. */
export const plainCondition = (sql: string): SqlCondition => ({ sql });

/** Combines conditions with `and`. */
export function combineWithAnd(conditions: readonly SqlCondition[]): SqlCondition {
  if (conditions.length === 0) return plainCondition("true");
  const sql = `(${conditions.map((each) => each.sql).join(" and ")})`;
  const known = conditions.flatMap(({ possible }) => possible ?? []);
  return known.length > 0 ? { sql, possible: known.join(" and ") } : plainCondition(sql);
}

/**
 * Combines conditions with `or`. If every condition has `possible` SQL, the database can check before the scan
 * whether any row can match, instead of reading all rows.
 */
function anyOf(conditions: readonly SqlCondition[]): SqlCondition {
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
  each: (part: ArgumentPath) => SqlCondition,
): SqlCondition {
  const parts = (argument.value as readonly unknown[]).map((value, at) =>
    each({ ...argument, path: [...argument.path, String(at)], value }),
  );
  return word === "and" ? combineWithAnd(parts) : anyOf(parts);
}
