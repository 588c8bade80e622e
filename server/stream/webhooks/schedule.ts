const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses after the first, the second, … failed attempt: ten attempts within about 56 h. */
const PAUSES = [5 * SECOND, 1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 24 * HOUR];

/** A receiver's Retry-After counts up to here. */
const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * The time of the next attempt, epoch ms, after `tries` failed ones; null when it was the last. It is never earlier
 * than the schedule and the receiver's wish. It is up to a fifth later, so that deliveries that failed together do not
 * return together.
 */
export function nextAttempt(
  tries: number,
  now: number,
  retryAfter: number | null,
  random = Math.random(),
): number | null {
  const pause = PAUSES[tries - 1];
  if (pause === undefined) return null;
  const asked = Math.min(retryAfter ?? 0, MAX_RETRY_AFTER);
  return now + Math.round(Math.max(pause, asked) * (1 + random / 5));
}
