import { MAX_NOTES_PER_FOLD } from "./transaction.ts";

/**
 * Controls how many notes each fold of this process takes, so that every fold takes about the same time. Statements of
 * other requests run between two folds.
 */
export interface FoldPace {
  /** Returns the number of notes that the next fold takes. A note says that a part has new observations. */
  notes(): number;
  /** Reports the duration of a fold with the given number of notes. */
  took(notes: number, milliseconds: number): void;
}

/** Maximum intended duration of a fold. Other requests wait for the embedded engine during a fold. */
const SLICE_MS = 50;
/** Minimum number of notes per fold. With fewer notes, the transaction would cost more than the fold itself. */
const LEAST = 16;
const FIRST = 64;

/** Creates a pace that begins with small folds. */
export function createPace(): FoldPace {
  let most = FIRST;
  return {
    notes: () => most,
    took(notes, milliseconds) {
      if (milliseconds > SLICE_MS)
        most = Math.max(LEAST, Math.floor((Math.min(most, notes) * SLICE_MS) / milliseconds));
      else if (notes >= most && milliseconds < SLICE_MS / 2) most = Math.min(MAX_NOTES_PER_FOLD, most * 2);
    },
  };
}
