/** The time that callers are asked to wait while requests are refused: longer the longer it lasts. It is logged now and then. */
export interface RetryAfter {
  /** Whole seconds for Retry-After: 1 at first, growing to 30. */
  seconds(): number;
  /** Calls `write` unless it was called a moment ago. */
  log(write: () => void): void;
  /** Call when something succeeded. */
  succeeded(): void;
}

const LONGEST = 30;
const LOG_EVERY_MS = 10_000;

/** Nothing is wrong yet. */
export function retryAfter(clock: () => number = () => performance.now()): RetryAfter {
  let since: number | undefined;
  let logged = Number.NEGATIVE_INFINITY;
  return {
    seconds() {
      since ??= clock();
      // Half of the time it has lasted: whoever obeys comes back after at most half as long again.
      return Math.min(LONGEST, Math.max(1, Math.floor((clock() - since) / 2_000)));
    },
    log(write) {
      if (clock() - logged < LOG_EVERY_MS) return;
      logged = clock();
      write();
    },
    succeeded() {
      since = undefined;
    },
  };
}
