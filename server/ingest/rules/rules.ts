import { isObject } from "../../../formats/json.ts";
import { readOwn } from "../../../formats/own.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { isUuid } from "../../../formats/uuid.ts";

/** Checks one value. Answers the text that follows the field's name in a reason, or undefined when it is fine. */
export type Rule = (value: unknown, now: number) => string | undefined;

/** The reason against a row: the field at fault and the whole sentence. */
export interface Fault {
  field: string;
  reason: string;
}

/** Rules by field, in the order in which they are checked. */
export type RuleTable = readonly (readonly [field: string, rule: Rule])[];

const CONVERSATION = "conv_";
const OLDEST = Date.UTC(2000, 0, 1);
/** Epoch values below this are taken for seconds: as milliseconds they lie before March 1973. */
const SECONDS_BELOW = 1e11;

/** `null` counts as missing. */
export const required =
  (rule: Rule): Rule =>
  (value, now) =>
    value === undefined || value === null ? "is required" : rule(value, now);

/** `null` counts as absent. */
export const optional =
  (rule: Rule): Rule =>
  (value, now) =>
    value === undefined || value === null ? undefined : rule(value, now);

/** Hyphenated, any version, any case. */
export const uuid: Rule = (value) =>
  typeof value === "string" && isUuid(value)
    ? undefined
    : "must be a UUID such as 0190163d-8694-739b-aea5-966c26f8ad91";

/** A UUID, or one behind `conv_`. */
export const sessionId: Rule = (value, now) =>
  typeof value === "string" && isConversation(value) ? undefined : uuid(value, now);

/** Reports whether an id is spelled as conversations of agnostai are. */
export const isConversation = (id: string): boolean =>
  id.startsWith(CONVERSATION) && isUuid(id.slice(CONVERSATION.length));

/** A string of so many characters (code points). */
export const text =
  (min: number, max: number): Rule =>
  (value) => {
    if (typeof value !== "string") return "must be a string";
    if (value.length < min) return "must not be empty";
    return value.length > max && (value.length > 2 * max || [...value].length > max)
      ? `must be at most ${max} characters`
      : undefined;
  };

/** A string of at most so many bytes of UTF-8. An object is refused with how to send it. */
export const payload =
  (maxBytes: number): Rule =>
  (value) => {
    if (typeof value !== "string") return "must be a string; serialize objects as JSON text";
    return value.length * 3 > maxBytes && Buffer.byteLength(value) > maxBytes
      ? `must be at most ${maxBytes} bytes of UTF-8`
      : undefined;
  };

export const boolean: Rule = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

/** A count of milliseconds that a double holds exactly. */
export const duration: Rule = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : "must be an integer from 0 to 9007199254740991";

/** Reports whether a time can be true: epoch milliseconds from 2000 to a day ahead. */
export const isLikely = (at: number, now: number): boolean => at >= OLDEST && at <= now + DAY_MS;

/** A time that can be true. */
export const timestamp: Rule = (value, now) => {
  if (!Number.isInteger(value)) return "must be an integer, epoch milliseconds";
  const at = Number(value);
  if (at >= 0 && at < SECONDS_BELOW) return "looks like seconds; it must be epoch milliseconds";
  return isLikely(at, now) ? undefined : "must lie between 2000-01-01 and 24 hours from now";
};

export const object: Rule = (value) => (isObject(value) ? undefined : "must be an object");

/** Reports whether no member of an object holds others. */
export function isFlat(of: Record<string, unknown>): boolean {
  for (const key in of) if (typeof readOwn(of, key) === "object") return false;
  return true;
}

/** The first fault of a row by its table, or undefined. */
export function firstFault(row: Record<string, unknown>, table: RuleTable, now: number): Fault | undefined {
  for (const [field, rule] of table) {
    const words = rule(readOwn(row, field), now);
    if (words !== undefined) return { field, reason: `${field} ${words}` };
  }
  return undefined;
}

/** Reports whether a row was refused. */
export const isFault = <T extends object>(checked: T | Fault): checked is Fault => "reason" in checked;
