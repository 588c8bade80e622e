import { inputError } from "../../errors.ts";

/** Size and direction of a page, parsed from the arguments of a connection. */
export interface PageArguments {
  size: number;
  /** True if the page is read from the end of the list (`last`). */
  backward: boolean;
}

const DEFAULT_SIZE = 50;
/** Maximum number of entries per page, as documented for `first` and `last`. */
export const MAX_PAGE_SIZE = 250;

/** Returns the size of a page, limited to 1 to MAX_PAGE_SIZE. `pageOf` rejects sizes out of range. */
export const limitPageSize = ({ first, last }: Readonly<Record<string, unknown>>): number =>
  Math.min(Math.max(Number(first ?? last ?? DEFAULT_SIZE), 1), MAX_PAGE_SIZE);

/**
 * Reads `first`, `last`, `after` and `before`.
 * @throws inputError if the arguments contradict each other or are out of range.
 */
export function parsePage(args: Readonly<Record<string, unknown>>): PageArguments {
  const { first, last, after, before } = args;
  if (isGiven(first) && isGiven(last)) throw inputError("give first or last, not both", "last");
  if (isGiven(after) && isGiven(last)) throw inputError("last goes with before, first with after", "after");
  if (isGiven(before) && isGiven(first)) throw inputError("first goes with after, last with before", "before");
  const backward = isGiven(last) || (isGiven(before) && !isGiven(first));
  const name = backward ? "last" : "first";
  const size = Number((backward ? last : first) ?? DEFAULT_SIZE);
  if (size < 1 || size > MAX_PAGE_SIZE) throw inputError(`${name} must be between 1 and ${MAX_PAGE_SIZE}`, name);
  return { size, backward };
}

/** Returns true if an argument is given. Null counts as absent. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
