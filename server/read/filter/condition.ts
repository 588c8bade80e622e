import type { ArgumentPath } from "../selection.ts";

/** A condition about a row. */
export interface Condition {
  sql: string;
  /** SQL without the row that is false when no row satisfies the condition, where SQL can say so. */
  possible?: string;
}

/** A condition of which nothing is known without the row. */
export const plain = (sql: string): Condition => ({ sql });

/** Every one of these holds. */
export function allOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return plain("true");
  const sql = `(${conditions.map((each) => each.sql).join(" and ")})`;
  const known = conditions.flatMap(({ possible }) => possible ?? []);
  return known.length > 0 ? { sql, possible: known.join(" and ") } : plain(sql);
}

/** One of these holds. Where none can, the database sees so before it reads any row: it would look at all of them. */
function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.length === 0) return plain("false");
  const sql = `(${conditions.map((each) => each.sql).join(" or ")})`;
  const known = conditions.flatMap(({ possible }) => (possible === undefined ? [] : `(${possible})`));
  if (known.length < conditions.length) return plain(sql);
  const possible = `(${known.join(" or ")})`;
  return { sql: `(${sql} and ${possible})`, possible };
}

/** The conditions that `and` or `or` combine. An empty `or` is false, an empty `and` true. */
export function combined(
  argument: ArgumentPath,
  word: "and" | "or",
  each: (part: ArgumentPath) => Condition,
): Condition {
  const parts = (argument.value as readonly unknown[]).map((value, at) =>
    each({ ...argument, path: [...argument.path, String(at)], value }),
  );
  return word === "and" ? allOf(parts) : anyOf(parts);
}
