import { GraphQLError } from "graphql";
import { isDuration, limitToSupportedYears, parseAbsoluteTime, parseDurationFrom } from "../../formats/moments.ts";
import { isUuid } from "../../formats/uuid.ts";

let moment: Date | undefined;

/** Runs synchronous work that may read durations. Durations are relative to `at`. */
export function withDurationsFrom<T>(at: Date, work: () => T): T {
  moment = at;
  try {
    return work();
  } finally {
    moment = undefined;
  }
}

/** Reads a timestamp. Returns ISO 8601 in UTC with milliseconds. */
export function readDateTime(value: unknown): string {
  const date =
    value instanceof Date
      ? limitToSupportedYears(value)
      : typeof value === "string"
        ? parseAbsoluteTime(value)
        : undefined;
  if (!date) throw new GraphQLError("DateTime must be an ISO 8601 timestamp, e.g. 2026-01-31T09:00:00.000Z");
  return date.toISOString();
}

/** Reads a calendar day, or the date part of a timestamp without converting the time zone. Returns YYYY-MM-DD. */
export function readDate(value: unknown): string {
  const isDay = typeof value === "string" && parseAbsoluteTime(value) !== undefined;
  if (!isDay) throw new GraphQLError("TimelessDate must be a day, e.g. 2026-01-31");
  return value.slice(0, 10);
}

/**
 * Reads an ISO 8601 duration (P7D, -P2W, PT12H) relative to the time of the request. Undefined if the value is no
 * duration.
 */
export function readDuration(value: unknown): Date | undefined {
  if (typeof value !== "string" || !isDuration(value)) return undefined;
  const moved = parseDurationFrom(value, moment ?? new Date());
  if (!moved) throw new GraphQLError("the duration leads too far from now");
  return moved;
}

/** Reads a UUID. Returns lower case. */
export function readUuid(value: unknown): string {
  if (typeof value !== "string" || !isUuid(value)) throw new GraphQLError("UUID must be a UUID with hyphens");
  return value.toLowerCase();
}

/** Reads a position in the change log, given as a number or as a string. */
export function readSyncCursor(value: unknown): number {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isSafeInteger(number) || number < 0) {
    throw new GraphQLError("SyncCursor must be a number from the change log, or 0 for its beginning");
  }
  return number;
}
