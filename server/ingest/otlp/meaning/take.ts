import { findExcess, isDeeper } from "../../../../formats/json.ts";
import { readOwn } from "../../../../formats/own.ts";
import type { Reading, ValuePlace, ValueRule, ValueSource } from "../../../agents/convention.ts";
import type { Attributes, LogRecord, Span, Value } from "../model.ts";
import { readMessageText } from "./messages.ts";

export type Item = Span | LogRecord;

/** Reads the value of a place; undefined if there is none, or only empty text. */
type Getter = (item: Item) => Value | undefined;

const SPECIAL: Record<string, (item: Item) => Value | undefined> = {
  "@name": readRecordName,
  "@body": (item) => ("body" in item ? item.body : undefined),
  "@status": (item) => ("statusMessage" in item ? item.statusMessage : undefined),
  "@moment": momentOf,
};

/** Creates the getter of a place, once per place. */
export function createGetter(place: ValuePlace): Getter {
  const read = reader(place);
  return (item) => {
    const value = read(item);
    return value === "" || value === null ? undefined : value;
  };
}

function reader(place: ValuePlace): Getter {
  const [word = "", first = "", second = ""] = place.split("/");
  if (word === "@resource") return ({ resource }) => resource.get(first);
  if (word === "@event") return (item) => eventValue(item, first, second);
  if (word === "@last") return ({ attributes }) => lastOf(attributes, first, second);
  return readOwn(SPECIAL, place) ?? (({ attributes }) => attributes.get(place));
}

/**
 * Returns the name of a span, or the event name of a log record: from the attribute `event.name` of older versions,
 * otherwise from the record's field.
 */
export function readRecordName(item: Item): string {
  if ("start" in item) return item.name;
  const named = item.attributes.get("event.name");
  return item.name !== "" && typeof named !== "string" ? item.name : typeof named === "string" ? named : "";
}

/** Returns a log record's time. Programs that send no time send the time of observation. */
export const readLogTime = (log: LogRecord) => (log.time.ms > 0 ? log.time : log.observed);

function momentOf(item: Item): Value | undefined {
  const { ms, nanos } = "start" in item ? item.start : readLogTime(item);
  return ms > 0 ? `${ms}.${String(nanos).padStart(6, "0")}` : undefined;
}

function eventValue(item: Item, name: string, attribute: string): Value | undefined {
  if (!("events" in item)) return undefined;
  return item.events
    .findLast((event) => event.name === name && event.attributes.has(attribute))
    ?.attributes.get(attribute);
}

/** Instrumentations write lists as attributes numbered from 0. */
function lastOf(attributes: Attributes, prefix: string, suffix: string): Value | undefined {
  let found: Value | undefined;
  for (let at = 0; ; at += 1) {
    const value = attributes.get(`${prefix}${at}${suffix}`);
    if (value === undefined) return found;
    found = value;
  }
}

/** Reads the value that a table entry describes, as text; undefined if there is none. */
export type TextReader = (item: Item) => string | undefined;

/** Taker of an absent table entry. */
export const readNothing = (): undefined => undefined;

/** Creates the taker of a table entry, once per entry. */
export function createTaker(take: ValueSource | undefined): TextReader {
  if (take === undefined) return readNothing;
  const { at, path, match, as, or, less = 0, within } = wayOf(take);
  const getters = [at].flat().map(createGetter);
  const [otherwise, around] = [createTaker(or), createTaker(within)];
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

const wayOf = (take: ValueSource): ValueRule => (typeof take === "string" || Array.isArray(take) ? { at: take } : take);

/** Creates a taker for numbers, which records may contain as text. */
export function createNumberTaker(take: ValueSource | undefined): (item: Item) => number | undefined {
  if (take === undefined) return readNothing;
  const text = createTaker(take);
  const { at, path, match, or } = wayOf(take);
  // Fast path: most values are numbers at the first place and need no conversion to text.
  const plain = path || match || or ? undefined : [at].flat().map(createGetter);
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
  return readMessageText(parsed(value), as === "prompt") ?? textOf(value);
}

const textOf = (value: Value): string => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * Limits for JSON inside text, which is parsed and serialized again. Text with deeper nesting or more values stays
 * text.
 */
const MAX_LEVELS = 64;
const EXTENT = { levels: MAX_LEVELS, values: 65_536 };
const SMALL_CHARS = 32 * 1024;

/** Cache of the last parsed text, because several table entries read the same text. */
let last: { text: string; value: Value } = { text: "", value: "" };

/** Parses JSON text; other values are returned unchanged. */
function parsed(value: Value): Value {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
  if (last.text !== value) last = { text: value, value: parseJson(value) };
  return last.value;
}

function parseJson(text: string): Value {
  if (text.length > SMALL_CHARS && findExcess(Buffer.from(text), EXTENT)) return text;
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
