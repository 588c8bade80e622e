import { NOTES } from "./transaction.ts";

/** The size of the folds of a process: each takes about as long, so that statements of others run between two of them. */
export interface Pace {
  /** Notes that the next fold takes. */
  notes(): number;
  /** Says how long a fold of so many notes took. */
  took(notes: number, milliseconds: number): void;
}

/** The longest that a fold should take. Others wait for the embedded engine meanwhile. */
const SLICE_MS = 50;
/** Fewer would cost more for the transaction than for what it folds. */
const LEAST = 16;
const FIRST = 64;

/** A pace that begins with small folds. */
export function createPace(): Pace {
  let most = FIRST;
  return {
    notes: () => most,
    took(notes, milliseconds) {
      if (milliseconds > SLICE_MS)
        most = Math.max(LEAST, Math.floor((Math.min(most, notes) * SLICE_MS) / milliseconds));
      else if (notes >= most && milliseconds < SLICE_MS / 2) most = Math.min(NOTES, most * 2);
    },
  };
}
