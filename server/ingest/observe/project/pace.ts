import { MAX_NOTES } from "./transaction.ts";

/**
 * Size of this process's folds. Every fold should take about the same time, so that statements of other requests run
 * between two folds.
 */
export interface Pace {
  /** Number of notes that the next fold takes. */
  notes(): number;
  /** Reports the duration of a fold with the given number of notes. */
  took(notes: number, milliseconds: number): void;
}

/** Maximum intended duration of a fold. Other requests wait for the embedded engine during a fold. */
const SLICE_MS = 50;
/** With fewer notes, the transaction would cost more than the fold itself. */
const LEAST = 16;
const FIRST = 64;

/** Creates a pace that begins with small folds. */
export function createPace(): Pace {
  let most = FIRST;
  return {
    notes: () => most,
    took(notes, milliseconds) {
      if (milliseconds > SLICE_MS)
        most = Math.max(LEAST, Math.floor((Math.min(most, notes) * SLICE_MS) / milliseconds));
      else if (notes >= most && milliseconds < SLICE_MS / 2) most = Math.min(MAX_NOTES, most * 2);
    },
  };
}
