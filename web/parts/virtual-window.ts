/** The rows in view. */
export interface Range {
  startIndex: number;
  endIndex: number;
}

/** The first row that is made, when what is in view is to be in the middle. */
export const windowOf = (
  { startIndex }: Range,
  { most, count, overscan }: { most: number; count: number; overscan: number },
): number => Math.max(0, Math.min(startIndex - overscan, count - most));

/** Where the window is, where it goes, and by how many rows that nobody sees yet it may come closer now. */
interface Step {
  from: number;
  wanted: number;
  ahead: number;
}

/** The first row on the way there: what is in view is made at once, the rest over the next frames. */
export function stepTo({ from, wanted, ahead }: Step, { startIndex, endIndex }: Range, most: number): number {
  const near = from + Math.max(-ahead, Math.min(ahead, wanted - from));
  // What lies between a place that shows the last row in view and one that shows the first.
  return Math.max(0, endIndex - most + 1, Math.min(startIndex, near));
}

/** Of the rows that are made, the one that stays with an element however far somebody scrolls by less than all of them. */
export const inSlot = (slot: number, first: number, most: number): number =>
  first + ((((slot - first) % most) + most) % most);
