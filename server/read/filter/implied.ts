import type { SqlRow } from "../entity.ts";
import { column } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { comparison } from "./compare.ts";
import { impliedByText } from "./texts.ts";

/** SQL of what follows from a comparison of a value, and by which an index finds the rows. Empty where nothing follows. */
export const implied = (row: SqlRow, name: string, argument: ArgumentPath): string[] => [
  ...impliedByText(row, name, argument),
  ...impliedByUpdate(row, name, argument),
];

/**
 * A row that was updated before a moment was created before it. The list then begins there: by chance of its order it would read
 * everything that is newer.
 */
function impliedByUpdate(row: SqlRow, name: string, argument: ArgumentPath): string[] {
  if (name !== "updatedAt" || !row.entity.tuning?.updatedLast) return [];
  const given = argument.value as Readonly<Record<string, unknown>>;
  const before = ["lt", "lte"].filter((each) => given[each] !== undefined && given[each] !== null);
  if (before.length === 0) return [];
  const value = Object.fromEntries(before.map((each) => [each, given[each]]));
  return [comparison(row.build, { sql: column(row, "createdAt"), type: "timestamp" }, { ...argument, value })];
}
