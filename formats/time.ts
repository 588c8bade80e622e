/** Time units in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * Parses a Retry-After header, which contains seconds or a date, into milliseconds. Returns null if the header is
 * absent or invalid.
 */
export function parseRetryAfterMs(header: string | string[] | null | undefined, now: number): number | null {
  const text = Array.isArray(header) ? header[0] : header;
  if (!text) return null;
  const asked = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(asked) ? null : Math.max(0, asked);
}

/** Returns the Retry-After time in whole seconds, for messages; undefined if the header is absent or invalid. */
export function parseRetryAfterSeconds(header: string | string[] | null | undefined): number | undefined {
  const ms = parseRetryAfterMs(header, Date.now());
  return ms === null ? undefined : Math.ceil(ms / 1_000);
}
