import { excessOf, isDeeper } from "../../../../formats/json.ts";
import { readOwn } from "../../../../formats/own.ts";
import type { Attributes, LogRecord, Span, Value } from "../model.ts";
import type { Place, Reading, Take, Way } from "./convention.ts";
import { messageText } from "./messages.ts";

/** A span or a log record. */
export type Item = Span | LogRecord;

/** Takes the value of a place; undefined where there is none, or an empty text. */
type Getter = (item: Item) => Value | undefined;

const SPECIAL: Record<string, (item: Item) => Value | undefined> = {
  "@name": nameOf,
  "@body": (item) => ("body" in item ? item.body : undefined),
  "@status": (item) => ("statusMessage" in item ? item.statusMessage : undefined),
  "@moment": momentOf,
};

/** A getter for a place, made once for each. */
export function getter(place: Place): Getter {
  const read = reader(place);
  return (item) => {
    const value = read(item);
    return value === "" || value === null ? undefined : value;
  };
}

function reader(place: Place): Getter {
  const [word = "", first = "", second = ""] = place.split("/");
  if (word === "@resource") return ({ resource }) => resource.get(first);
  if (word === "@event") return (item) => eventValue(item, first, second);
  if (word === "@last") return ({ attributes }) => lastOf(attributes, first, second);
  return readOwn(SPECIAL, place) ?? (({ attributes }) => attributes.get(place));
}

/** The name of a span, or of the event that a log record is: from its field, or from the attribute of old. */
export function nameOf(item: Item): string {
  if ("start" in item) return item.name;
  const named = item.attributes.get("event.name");
  return item.name !== "" && typeof named !== "string" ? item.name : typeof named === "string" ? named : "";
}

/** A log record's time; programs that send none send the time of its observation. */
export const timeOf = (log: LogRecord) => (log.time.ms > 0 ? log.time : log.observed);

function momentOf(item: Item): Value | undefined {
  const { ms, nanos } = "start" in item ? item.start : timeOf(item);
  return ms > 0 ? `${ms}.${String(nanos).padStart(6, "0")}` : undefined;
}

function eventValue(item: Item, name: string, attribute: string): Value | undefined {
  if (!("events" in item)) return undefined;
  return item.events
    .findLast((event) => event.name === name && event.attributes.has(attribute))
    ?.attributes.get(attribute);
}

/** Instrumentations write lists as attributes that count from 0. */
function lastOf(attributes: Attributes, prefix: string, suffix: string): Value | undefined {
  let found: Value | undefined;
  for (let at = 0; ; at += 1) {
    const value = attributes.get(`${prefix}${at}${suffix}`);
    if (value === undefined) return found;
    found = value;
  }
}

/** Takes the value a table asks for, as text; undefined where there is none. */
export type Taker = (item: Item) => string | undefined;

/** The taker of an entry that a table does not have. */
export const NOTHING = (): undefined => undefined;

/** A taker, made once for each entry of a table. */
export function taker(take: Take | undefined): Taker {
  if (take === undefined) return NOTHING;
  const { at, path, match, as, or, less = 0, within } = wayOf(take);
  const getters = [at].flat().map(getter);
  const [otherwise, around] = [taker(or), taker(within)];
  return (item) => {
    for (const get of getters) {
      const found = get(item);
      const inner = found !== undefined && path ? walk(parsed(found), path) : found;
      const text = inner === undefined ? undefined : matched(read(inner, as), match);
      if (text === undefined) continue;
      const whole = less === 0 ? text : String(Number(text) - less);
      if (within === undefined) return whole;
      const before = around(item);
      if (before !== undefined) return `${before}/${whole}`;
    }
    return otherwise(item);
  };
}

const wayOf = (take: Take): Way => (typeof take === "string" || Array.isArray(take) ? { at: take } : take);

/** A taker for numbers, which may be written as text. */
export function numberTaker(take: Take | undefined): (item: Item) => number | undefined {
  if (take === undefined) return NOTHING;
  const text = taker(take);
  const { at, path, match, or } = wayOf(take);
  // Most are numbers at the first place, and need no text.
  const plain = path || match || or ? undefined : [at].flat().map(getter);
  return (item) => {
    const quick = plain && firstNumber(plain, item);
    if (quick !== undefined) return quick;
    const number = Number(text(item) ?? Number.NaN);
    return Number.isFinite(number) ? number : undefined;
  };
}

function firstNumber(getters: readonly Getter[], item: Item): number | undefined {
  for (const get of getters) {
    const value = get(item);
    if (typeof value === "number") return value;
    if (value !== undefined) return undefined;
  }
  return undefined;
}

function matched(text: string, match: RegExp | undefined): string | undefined {
  if (!match) return text;
  const found = match.exec(text);
  return found ? (found[1] ?? found[0]) : undefined;
}

function read(value: Value, as: Reading | undefined): string {
  if (as === "json") return textOf(parsed(value));
  if (as === undefined) return textOf(value);
  return messageText(parsed(value), as === "prompt") ?? textOf(value);
}

const textOf = (value: Value): string => (typeof value === "string" ? value : JSON.stringify(value));

/** JSON in a text is walked and written again: what nests deeper than this, or holds more, stays the text that it is. */
const MAX_LEVELS = 64;
const EXTENT = { levels: MAX_LEVELS, values: 65_536 };
const SMALL_CHARS = 32 * 1024;

/** The text that was parsed last: several entries of a table read the same one. */
let last: { text: string; value: Value } = { text: "", value: "" };

/** The value of a JSON text; any other value as it is. */
function parsed(value: Value): Value {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
  if (last.text !== value) last = { text: value, value: parseJson(value) };
  return last.value;
}

function parseJson(text: string): Value {
  if (text.length > SMALL_CHARS && excessOf(Buffer.from(text), EXTENT)) return text;
  try {
    const value: Value = JSON.parse(text);
    return isDeeper(value, MAX_LEVELS) ? text : value;
  } catch {
    return text;
  }
}

function walk(value: Value, path: readonly string[]): Value | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value === "" || value === null ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return Object.hasOwn(value, name) ? walk(readOwn(value, name) ?? null, rest) : undefined;
  if (name !== "*") return undefined;
  for (const item of value) {
    const found = walk(item, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}
