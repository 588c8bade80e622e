/** The rows in view. */
export interface Range {
  startIndex: number;
  endIndex: number;
}

/** The rows of which something is seen at a place. */
export function rangeOf(
  { top, height }: { top: number; height: number },
  { count, size }: { count: number; size: number },
): Range {
  const at = (px: number) => Math.max(0, Math.min(count - 1, px));
  return { startIndex: at(Math.floor(top / size)), endIndex: at(Math.ceil((top + height) / size) - 1) };
}

/** The first row that is made, with so many above those in view. */
export const windowOf = (
  { startIndex }: Range,
  { most, count, above }: { most: number; count: number; above: number },
): number => Math.max(0, Math.min(startIndex - above, count - most));

/** The window's first row, the wanted one, and the most unseen rows it may come closer by now. */
interface Step {
  from: number;
  wanted: number;
  ahead: number;
}

/** The first row on the way there: what is in view is made at once, the rest over the next frames. */
export function stepTo({ from, wanted, ahead }: Step, { startIndex, endIndex }: Range, most: number): number {
  const near = from + Math.max(-ahead, Math.min(ahead, wanted - from));
  // Between a place that shows the last row in view and one that shows the first.
  return Math.max(0, endIndex - most + 1, Math.min(startIndex, near));
}

/** The rows that are made: those of the window, and one that is kept wherever somebody scrolls, because it has the focus. */
interface Made {
  first: number;
  most: number;
  /** -1 for none. */
  keep: number;
}

/**
 * The row that each element shows next. A row stays in its element for as long as it is made, also when it becomes the
 * one that is kept: a click needs the element that was pressed. Rows that come take the elements that are left over; -1
 * is none.
 */
export function assign(shown: readonly number[], { first, most, keep }: Made): number[] {
  const coming = new Set(Array.from({ length: most }, (_, n) => first + n));
  if (keep >= 0) coming.add(keep);
  const stay = shown.map((row) => (coming.delete(row) ? row : -1));
  const [...rest] = coming;
  return stay.map((row) => (row >= 0 ? row : (rest.shift() ?? -1)));
}
