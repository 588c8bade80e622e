/** Range of visible rows. */
export interface RowRange {
  startIndex: number;
  endIndex: number;
}

/** Returns the rows that are at least partly visible at a scroll position. */
export function findVisibleRange(
  { top, height }: { top: number; height: number },
  { count, size }: { count: number; size: number },
): RowRange {
  const at = (px: number) => Math.max(0, Math.min(count - 1, px));
  return { startIndex: at(Math.floor(top / size)), endIndex: at(Math.ceil((top + height) / size) - 1) };
}

/**
 * Returns the index of the first row to render: `above` rows before the first visible row. Near the ends of the list,
 * the index is limited so that the rendered rows stay within the list.
 */
export const computeFirstRenderedRow = (
  { startIndex }: RowRange,
  { most, count, above }: { most: number; count: number; above: number },
): number => Math.max(0, Math.min(startIndex - above, count - most));

/**
 * One step of the window of rendered rows: the current first row (`from`), the first row to reach (`wanted`), and the
 * maximum number of invisible rows that the step adds (`ahead`).
 */
interface Step {
  from: number;
  wanted: number;
  ahead: number;
}

/**
 * Returns the first row of the window after one step. A step renders all visible rows immediately; the invisible rows
 * follow over the next frames.
 */
export function computeNextFirstRenderedRow(
  { from, wanted, ahead }: Step,
  { startIndex, endIndex }: RowRange,
  most: number,
): number {
  const near = from + Math.max(-ahead, Math.min(ahead, wanted - from));
  // Limits the window to positions that show the whole visible range.
  return Math.max(0, endIndex - most + 1, Math.min(startIndex, near));
}

/** Rows to render: the rows of the window, and the focused row, which stays rendered at any scroll position. */
interface Made {
  first: number;
  most: number;
  /** Index of the row that stays rendered; -1 for none. */
  keep: number;
}

/**
 * Returns the row that each element shows next. A rendered row keeps its element, also if the row becomes the `keep`
 * row, because a click needs the element that was pressed. New rows take the free elements; -1 marks an unused
 * element.
 */
export function assignRowsToElements(shown: readonly number[], { first, most, keep }: Made): number[] {
  const coming = new Set(Array.from({ length: most }, (_, n) => first + n));
  if (keep >= 0) coming.add(keep);
  const stay = shown.map((row) => (coming.delete(row) ? row : -1));
  const [...rest] = coming;
  return stay.map((row) => (row >= 0 ? row : (rest.shift() ?? -1)));
}
