import { inputError } from "../../errors.ts";

/** A page, as the arguments of a connection ask for it. */
export interface PageArguments {
  size: number;
  /** True if it is read from the end of the list (`last`). */
  backward: boolean;
}

const DEFAULT_SIZE = 50;
/** Most entries a page can have, as `first` and `last` are documented. */
export const MAX_PAGE = 250;

/** The most entries that a page can have; an argument out of range is refused elsewhere. */
export const sizeOf = ({ first, last }: Readonly<Record<string, unknown>>): number =>
  Math.min(Math.max(Number(first ?? last ?? DEFAULT_SIZE), 1), MAX_PAGE);

/**
 * Reads `first`, `last`, `after` and `before`.
 * @throws inputError when they contradict each other or are out of range.
 */
export function pageOf(args: Readonly<Record<string, unknown>>): PageArguments {
  const { first, last, after, before } = args;
  if (isGiven(first) && isGiven(last)) throw inputError("give first or last, not both", "last");
  if (isGiven(after) && isGiven(last)) throw inputError("last goes with before, first with after", "after");
  if (isGiven(before) && isGiven(first)) throw inputError("first goes with after, last with before", "before");
  const backward = isGiven(last) || (isGiven(before) && !isGiven(first));
  const name = backward ? "last" : "first";
  const size = Number((backward ? last : first) ?? DEFAULT_SIZE);
  if (size < 1 || size > MAX_PAGE) throw inputError(`${name} must be between 1 and ${MAX_PAGE}`, name);
  return { size, backward };
}

/** Tells whether an argument is given: null counts as absent. */
export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
