/**
 * Computes Retry-After while the server rejects requests: the longer the problem lasts, the longer the wait. Logs at
 * intervals.
 */
export interface RetryAfter {
  /** Whole seconds for Retry-After: 1 at first, growing to 30. */
  seconds(): number;
  /** Calls `write` unless `write` ran less than 10 seconds ago. */
  log(write: () => void): void;
  /** Call after a successful request. */
  succeeded(): void;
}

const LONGEST = 30;
const LOG_EVERY_MS = 10_000;

export function createRetryAfter(clock: () => number = () => performance.now()): RetryAfter {
  let since: number | undefined;
  let logged = Number.NEGATIVE_INFINITY;
  return {
    seconds() {
      since ??= clock();
      // Half of the elapsed time: a caller that obeys retries after at most half as long again.
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
