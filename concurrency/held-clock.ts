let held = Date.now();
let asked = performance.now();
let judgedUntil = 0;

/** Milliseconds for which a call of `reportWallClockAccuracy` counts. The caller compares the clocks every minute. */
const JUDGED_MS = 3 * 60_000;

/**
 * Returns the time in epoch milliseconds for all stored expiry times: credentials, rate-limit windows, leases of
 * deliveries. The time follows the wall clock until somebody sets the wall clock back. From then on the time advances
 * steadily from its last value, so that expired data does not become valid again and no wait becomes longer. A
 * restarted process follows the wall clock again. While another machine's clock is compared with the wall clock
 * (`reportWallClockAccuracy`), a step forward counts only if both clocks agree, so that a wrong step expires nothing early.
 */
export function getMonotonicEpochMs(): number {
  const now = performance.now();
  held += now - asked;
  asked = now;
  if (now >= judgedUntil) held = Math.max(Date.now(), held);
  return held;
}

/**
 * Tells `getMonotonicEpochMs` whether another machine's clock agrees with the wall clock. The caller must call `reportWallClockAccuracy`
 * every minute.
 */
export function reportWallClockAccuracy(isRight: boolean): void {
  if (isRight) held = Math.max(Date.now(), getMonotonicEpochMs());
  judgedUntil = performance.now() + JUDGED_MS;
}

/** Returns `getMonotonicEpochMs` as a Date. */
export const getMonotonicDate = (): Date => new Date(getMonotonicEpochMs());

/** Wall-clock time `ms` milliseconds from now, for display only. Never compare the returned time with other times. */
export const getWallClockMsAfter = (ms: number): number => Date.now() + ms;

/**
 * Minimum difference that counts as a clock step. Smaller differences arise because the two clocks are not read at the
 * same instant.
 */
const LEAST_STEP_MS = 1_000;

/**
 * Watches the wall clock for steps. The returned function returns the step in milliseconds since the last step that it
 * returned, and 0 if there was no step. A negative value means that the clock was set back.
 */
export function createClockStepDetector(): () => number {
  const ahead = () => Date.now() - performance.now();
  let before = ahead();
  return () => {
    const step = ahead() - before;
    if (Math.abs(step) < LEAST_STEP_MS) return 0;
    before += step;
    return step;
  };
}
