import { inputError } from "../../errors.ts";

/**
 * A number among the arguments, or what it usually is.
 * @throws inputError for less than one or too many
 */
export function within(args: Readonly<Record<string, unknown>>, name: string, usual: number, most: number): number {
  const count = Number(args[name] ?? usual);
  if (count < 1 || count > most) throw inputError(`${name} must be between 1 and ${most.toLocaleString("en")}`, name);
  return count;
}

/**
 * SQL of a limit, given in SQL too, that the planner does not know: it takes it for a tenth of the rows and walks the index that has their
 * order. Where it expects fewer rows than that, of a session or of an organization, it would read all of them and sort.
 */
export const atMost = (rows: number | string): string => `limit (select ${rows})`;
