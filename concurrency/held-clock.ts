let held = Date.now();
let asked = performance.now();
let judgedUntil = 0;

/** Time in ms for which a report of the other clock counts. Clocks are compared each minute. */
const JUDGED_MS = 3 * 60_000;

/**
 * Time in epoch milliseconds for everything that expires and is stored: credentials, rate-limit windows, leases of
 * deliveries. The time follows the wall clock until somebody sets the clock back. From then on the time advances
 * steadily from its last value, so that expired data does not become valid again and no wait becomes longer. A
 * restarted process follows the wall clock again. While another clock judges the wall clock, a step forward counts only
 * when the other clock shows it too, so that a wrong step expires nothing early.
 */
export function heldTime(): number {
  const now = performance.now();
  held += now - asked;
  asked = now;
  if (now >= judgedUntil) held = Math.max(Date.now(), held);
  return held;
}

/** Reports whether another machine's clock agrees with the wall clock. The caller repeats the report each minute. */
export function judgeWallClock(isRight: boolean): void {
  if (isRight) held = Math.max(Date.now(), heldTime());
  judgedUntil = performance.now() + JUDGED_MS;
}

/** Returns `heldTime` as a Date. */
export const heldDate = (): Date => new Date(heldTime());

/** Wall-clock time `ms` milliseconds from now, for display only. Never compare other times with this value. */
export const timeIn = (ms: number): number => Date.now() + ms;

/** Smaller differences are not clock steps, because the two clocks are not read at the same instant. */
const LEAST_STEP_MS = 1_000;

/**
 * Watches the wall clock. The returned function reports the clock step since the last reported step in milliseconds;
 * negative when the clock was set back.
 */
export function watchSteps(): () => number {
  const ahead = () => Date.now() - performance.now();
  let before = ahead();
  return () => {
    const step = ahead() - before;
    if (Math.abs(step) < LEAST_STEP_MS) return 0;
    before += step;
    return step;
  };
}
