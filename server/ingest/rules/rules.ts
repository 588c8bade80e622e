import { isObject } from "../../../formats/json.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { isUuid } from "../../../formats/uuid.ts";

/**
 * Checks one value. Returns undefined if the value is valid. Otherwise, returns the end of a sentence that begins with
 * the name of the field.
 */
export type Rule = (value: unknown, now: number) => string | undefined;

/** Reason for rejecting a row. `field` is the name of the invalid field, and `reason` is a complete sentence. */
export interface Fault {
  field: string;
  reason: string;
}

/** Rules by field. The server checks the fields in the order of the table. */
export type RuleTable = readonly (readonly [field: string, rule: Rule])[];

const CONVERSATION = "conv_";
const OLDEST = Date.UTC(2000, 0, 1);
/** Smaller values are taken for epoch seconds. As epoch milliseconds, such values would be times before March 1973. */
const SECONDS_BELOW = 1e11;

/** `null` counts as missing. */
export const requiredRule =
  (rule: Rule): Rule =>
  (value, now) =>
    value === undefined || value === null ? "is required" : rule(value, now);

/** `null` counts as absent. */
export const optionalRule =
  (rule: Rule): Rule =>
  (value, now) =>
    value === undefined || value === null ? undefined : rule(value, now);

/** With hyphens, any version, any case. */
export const uuidRule: Rule = (value) =>
  typeof value === "string" && isUuid(value)
    ? undefined
    : "must be a UUID such as 0190163d-8694-739b-aea5-966c26f8ad91";

/** A UUID, with or without the prefix `conv_`. */
export const sessionIdRule: Rule = (value, now) =>
  typeof value === "string" && isConversation(value) ? undefined : uuidRule(value, now);

/** Returns true for ids in the form of agnostai's conversation ids. */
export const isConversation = (id: string): boolean =>
  id.startsWith(CONVERSATION) && isUuid(id.slice(CONVERSATION.length));

/** String with `min` to `max` characters (code points). */
export const textRule =
  (min: number, max: number): Rule =>
  (value) => {
    if (typeof value !== "string") return "must be a string";
    if (value.length < min) return "must not be empty";
    return value.length > max && (value.length > 2 * max || [...value].length > max)
      ? `must be at most ${max} characters`
      : undefined;
  };

/**
 * Rule for a string of at most `maxBytes` bytes of UTF-8. If the value is an object, the reason tells the caller to
 * serialize the object.
 */
export const payloadRule =
  (maxBytes: number): Rule =>
  (value) => {
    if (typeof value !== "string") return "must be a string; serialize objects as JSON text";
    return value.length * 3 > maxBytes && Buffer.byteLength(value) > maxBytes
      ? `must be at most ${maxBytes} bytes of UTF-8`
      : undefined;
  };

export const booleanRule: Rule = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

/** Rule for a duration in ms. The duration must be an integer that a double represents exactly. */
export const durationRule: Rule = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : "must be an integer from 0 to 9007199254740991";

/** Returns true for a plausible time in epoch milliseconds: from the year 2000 to 24 hours from now. */
export const isPlausibleTimestamp = (at: number, now: number): boolean => at >= OLDEST && at <= now + DAY_MS;

export const timestampRule: Rule = (value, now) => {
  if (!Number.isInteger(value)) return "must be an integer, epoch milliseconds";
  const at = Number(value);
  if (at >= 0 && at < SECONDS_BELOW) return "looks like seconds; it must be epoch milliseconds";
  return isPlausibleTimestamp(at, now) ? undefined : "must lie between 2000-01-01 and 24 hours from now";
};

export const objectRule: Rule = (value) => (isObject(value) ? undefined : "must be an object");

/** Returns true if no property of an object is an object, a list or null. */
export function isFlat(of: Record<string, unknown>): boolean {
  for (const key in of) if (typeof getOwnProperty(of, key) === "object") return false;
  return true;
}

/** Returns the first fault of a row; undefined if the row is valid. */
export function firstFault(row: Record<string, unknown>, table: RuleTable, now: number): Fault | undefined {
  for (const [field, rule] of table) {
    const words = rule(getOwnProperty(row, field), now);
    if (words !== undefined) return { field, reason: `${field} ${words}` };
  }
  return undefined;
}

export const isFault = <T extends object>(checked: T | Fault): checked is Fault => "reason" in checked;
