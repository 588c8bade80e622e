import { getOwnProperty } from "./own.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./time.ts";

/**
 * The only parser for times that users and programs write. JavaScript's own parser is too lenient: it reads `45` as a
 * year, and 2026-02-30 as a day in March.
 */

/** Accepted forms of a point in time, for errors and help. */
export const MOMENT_FORMAT_HELP =
  "a day (2026-01-31), a time with its offset (2026-01-31T09:00:00Z), 45m, 3h, 7d, 2w, P7D, -P7D, today or yesterday";
/** Accepted forms of a point in time that does not depend on the clock. */
export const ABSOLUTE_TIME_FORMAT_HELP = "a day (2026-01-31) or a time with its offset (2026-01-31T09:00:00Z)";
/** Accepted forms of a calendar day. */
export const DAY_FORMAT_HELP = "a day (2026-01-31), 7d, 2w, P7D, -P7D, today or yesterday";
/** Accepted forms of a time span from now. */
export const FUTURE_TIME_FORMAT_HELP = "45m, 3h, 7d, 2w or P7D";

/** Direction in which `7d` and `P7D` count from now. `-P7D` always counts back. */
export type Direction = "back" | "ahead";

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2}):?(\d{2}))$/i;
const DURATION =
  /^(-)?P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/;
const COUNTED = /^(\d{1,6})([mhdw])$/;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** Returns the start of a calendar day in UTC; undefined if the day does not exist in the years 1 to 9999. */
export function parseDay(text: string): Date | undefined {
  const [, year, month, day] = DAY.exec(text)?.map(Number) ?? [];
  if (!year || !month || !day) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : undefined;
}

/** Parses a day, or a time with its offset from UTC. */
export function parseAbsoluteTime(text: string): Date | undefined {
  const [, day = "", hour, minute, second = "0", fraction = "", sign, hours = "0", minutes = "0"] =
    TIMESTAMP.exec(text) ?? [];
  if (hour === undefined) return parseDay(text);
  const date = parseDay(day);
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  if (!date || !isTime || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -1 : 1);
  const ms = Number(`${fraction}000`.slice(0, 3));
  const at = (Number(hour) * 60 + Number(minute) - offset) * MINUTE_MS + Number(second) * 1_000 + ms;
  return limitToSupportedYears(new Date(date.getTime() + at));
}

/**
 * Adds an ISO 8601 duration (P7D, -P1M, PT12H) to a time. Returns undefined for other text, and for results outside the
 * years 1 to 9999.
 */
export function parseDurationFrom(text: string, from: Date, direction: Direction = "ahead"): Date | undefined {
  const parts = DURATION.exec(text);
  if (!parts) return undefined;
  const turn = parts[1] || direction === "back" ? -1 : 1;
  const amounts = parts.slice(2).map((amount) => Number(amount ?? 0) * turn);
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = amounts;
  const date = new Date(from);
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + weeks * 7 + days);
  return limitToSupportedYears(new Date(date.getTime() + hours * HOUR_MS + minutes * MINUTE_MS + seconds * 1_000));
}

/**
 * Returns true if the text has the form of an ISO 8601 duration. Unlike `parseDurationFrom`, does not check that the
 * resulting time lies in the years 1 to 9999.
 */
export const isDuration = (text: string): boolean => DURATION.test(text);

/** Parses a time relative to `from`: a number with a unit (`45m`), or an ISO 8601 duration. */
export function parseRelativeTime(text: string, from: Date, direction: Direction): Date | undefined {
  const [, count, unit = ""] = COUNTED.exec(text) ?? [];
  if (count === undefined) return parseDurationFrom(text, from, direction);
  return limitToSupportedYears(
    new Date(from.getTime() + Number(count) * (getOwnProperty(UNITS, unit) ?? 0) * (direction === "back" ? -1 : 1)),
  );
}

/** Parses a point in time in any of the MOMENT_FORMAT_HELP; undefined for other text. Days begin at midnight UTC. */
export function parseMoment(text: string, from: Date, direction: Direction): Date | undefined {
  const midnight = Math.floor(from.getTime() / DAY_MS) * DAY_MS;
  if (text === "today") return new Date(midnight);
  if (text === "yesterday") return new Date(midnight - DAY_MS);
  return parseAbsoluteTime(text) ?? parseRelativeTime(text, from, direction);
}

/**
 * Returns the date if its year is 1 to 9999; otherwise undefined. PostgreSQL and ISO 8601 write only years of four
 * digits in the same way.
 */
export function limitToSupportedYears(date: Date): Date | undefined {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date : undefined;
}
