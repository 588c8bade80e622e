/**
 * Computes the Retry-After header while the server rejects requests. The wait grows with the time for which the server
 * has been rejecting requests. Also limits how often the problem is logged.
 */
export interface RetryAfterBackoff {
  /** Whole seconds for Retry-After: 1 at first, growing to 30. */
  seconds(): number;
  /** Calls `write` unless `write` ran less than 10 seconds ago. */
  log(write: () => void): void;
  /** Call after a successful request. */
  succeeded(): void;
}

const LONGEST = 30;
const LOG_EVERY_MS = 10_000;

export function createRetryAfterBackoff(clock: () => number = () => performance.now()): RetryAfterBackoff {
  let since: number | undefined;
  let logged = Number.NEGATIVE_INFINITY;
  return {
    seconds() {
      since ??= clock();
      // The wait is half of the time for which the problem has lasted. A caller that obeys the header therefore retries
      // after at most half as long again.
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
