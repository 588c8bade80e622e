import { GraphQLError } from "graphql";
import { isUuid } from "../../formats/uuid.ts";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;
const DURATION =
  /^(-)?P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/;

let moment: Date | undefined;

/** Runs work, which must not wait for anything, with durations counted from one moment. */
export function countingFrom<T>(at: Date, work: () => T): T {
  moment = at;
  try {
    return work();
  } finally {
    moment = undefined;
  }
}

/** Reads a moment. Answers it as ISO 8601 in UTC with milliseconds. */
export function readDateTime(value: unknown): string {
  const date =
    value instanceof Date ? value : new Date(typeof value === "string" && DATE_TIME.test(value) ? value : Number.NaN);
  if (!inRange(date)) throw new GraphQLError("DateTime takes a moment in ISO 8601, e.g. 2026-01-31T09:00:00.000Z");
  return date.toISOString();
}

/** Reads a calendar day. Answers it as YYYY-MM-DD. */
export function readDate(value: unknown): string {
  const text = typeof value === "string" ? value.slice(0, 10) : "";
  const date = new Date(DATE.test(text) && DATE_TIME.test(String(value)) ? `${text}T00:00:00Z` : Number.NaN);
  if (!inRange(date) || date.toISOString().slice(0, 10) !== text) {
    throw new GraphQLError("TimelessDate takes a day, e.g. 2026-01-31");
  }
  return text;
}

/** Reads a duration from the moment of the request, ISO 8601 (P7D, -P2W, PT12H); undefined when it is none. */
export function readDuration(value: unknown): Date | undefined {
  const parts = typeof value === "string" && value.length > 2 ? DURATION.exec(value) : null;
  if (!parts) return undefined;
  const [, sign, ...amounts] = parts;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = amounts.map(
    (amount) => Number(amount ?? 0) * (sign ? -1 : 1),
  );
  const date = new Date(moment ?? Date.now());
  date.setUTCFullYear(date.getUTCFullYear() + years, date.getUTCMonth() + months, date.getUTCDate() + weeks * 7 + days);
  const moved = new Date(date.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000);
  if (!inRange(moved)) throw new GraphQLError("the duration leads too far from now");
  return moved;
}

/** Reads a UUID. Answers it in lower case. */
export function readUuid(value: unknown): string {
  if (typeof value !== "string" || !isUuid(value)) throw new GraphQLError("UUID takes a hyphenated UUID");
  return value.toLowerCase();
}

/** Reads a number of the change log, given as a number or as a string. */
export function readSyncCursor(value: unknown): number {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) {
    throw new GraphQLError("SyncCursor takes a number of the change log, 0 for its beginning");
  }
  return number;
}

/** Years of four digits: PostgreSQL and ISO 8601 write them alike. */
const inRange = (date: Date): boolean => {
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999;
};
