import { findExceededJsonLimit, isDeeper } from "../../../../formats/json.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import type { ValueFormat, ValuePlace, ValueRule, ValueSource } from "../../../agents/convention.ts";
import type { Attributes, AttributeValue, LogRecord, Span } from "../model.ts";
import { readMessageText } from "./messages.ts";

export type TelemetryRecord = Span | LogRecord;

/** Reads the value at a place. Returns undefined if there is no value or only an empty text. */
type Getter = (item: TelemetryRecord) => AttributeValue | undefined;

const SPECIAL: Record<string, (item: TelemetryRecord) => AttributeValue | undefined> = {
  "@name": readRecordName,
  "@body": (item) => ("body" in item ? item.body : undefined),
  "@status": (item) => ("statusMessage" in item ? item.statusMessage : undefined),
  "@moment": momentOf,
};

/** Creates the getter of a place. The place is parsed only once, not for each record. */
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
  return getOwnProperty(SPECIAL, place) ?? (({ attributes }) => attributes.get(place));
}

/**
 * Returns the name of a span, or the event name of a log record. Older versions send the event name in the attribute
 * `event.name`, which takes precedence over the record's field.
 */
export function readRecordName(item: TelemetryRecord): string {
  if ("start" in item) return item.name;
  const named = item.attributes.get("event.name");
  return item.name !== "" && typeof named !== "string" ? item.name : typeof named === "string" ? named : "";
}

/** Returns the time of a log record. If the program sent no time, returns the time at which the record was observed. */
export const readLogTime = (log: LogRecord) => (log.time.ms > 0 ? log.time : log.observed);

function momentOf(item: TelemetryRecord): AttributeValue | undefined {
  const { ms, nanos } = "start" in item ? item.start : readLogTime(item);
  return ms > 0 ? `${ms}.${String(nanos).padStart(6, "0")}` : undefined;
}

function eventValue(item: TelemetryRecord, name: string, attribute: string): AttributeValue | undefined {
  if (!("events" in item)) return undefined;
  return item.events
    .findLast((event) => event.name === name && event.attributes.has(attribute))
    ?.attributes.get(attribute);
}

/** Returns the last element of a list. Instrumentations write a list as attributes that are numbered from 0. */
function lastOf(attributes: Attributes, prefix: string, suffix: string): AttributeValue | undefined {
  let found: AttributeValue | undefined;
  for (let at = 0; ; at += 1) {
    const value = attributes.get(`${prefix}${at}${suffix}`);
    if (value === undefined) return found;
    found = value;
  }
}

/** Reads the value that an entry of a convention describes, as text. Returns undefined if there is no value. */
export type TextReader = (item: TelemetryRecord) => string | undefined;

/** Taker of an absent table entry. */
export const readNothing = (): undefined => undefined;

/**
 * Creates the function that reads the value of a convention's entry. The entry is compiled only once, not for each
 * record.
 */
export function createTextReader(take: ValueSource | undefined): TextReader {
  if (take === undefined) return readNothing;
  const { at, path, match, as, or, less = 0, within } = wayOf(take);
  const getters = [at].flat().map(createGetter);
  const [otherwise, around] = [createTextReader(or), createTextReader(within)];
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
export function createNumberReader(take: ValueSource | undefined): (item: TelemetryRecord) => number | undefined {
  if (take === undefined) return readNothing;
  const text = createTextReader(take);
  const { at, path, match, or } = wayOf(take);
  // Fast path: most values are already numbers, so no conversion to text and back is necessary.
  const plain = path || match || or ? undefined : [at].flat().map(createGetter);
  return (item) => {
    const quick = plain && firstNumber(plain, item);
    if (quick !== undefined) return quick;
    const number = Number(text(item) ?? Number.NaN);
    return Number.isFinite(number) ? number : undefined;
  };
}

function firstNumber(getters: readonly Getter[], item: TelemetryRecord): number | undefined {
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

function read(value: AttributeValue, as: ValueFormat | undefined): string {
  if (as === "json") return textOf(parsed(value));
  if (as === undefined) return textOf(value);
  return readMessageText(parsed(value), as === "prompt") ?? textOf(value);
}

const textOf = (value: AttributeValue): string => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * Limits for JSON text inside a value. JSON text is parsed, and may be serialized again. Text with deeper nesting or
 * more values is not parsed and stays text.
 */
const MAX_LEVELS = 64;
const EXTENT = { levels: MAX_LEVELS, values: 65_536 };
const SMALL_CHARS = 32 * 1024;

/** Cache of the last parsed text, because several table entries read the same text. */
let last: { text: string; value: AttributeValue } = { text: "", value: "" };

/** Parses JSON text; other values are returned unchanged. */
function parsed(value: AttributeValue): AttributeValue {
  if (typeof value !== "string" || !/^\s*[[{"]/.test(value)) return value;
  if (last.text !== value) last = { text: value, value: parseJson(value) };
  return last.value;
}

function parseJson(text: string): AttributeValue {
  if (text.length > SMALL_CHARS && findExceededJsonLimit(Buffer.from(text), EXTENT)) return text;
  try {
    const value: AttributeValue = JSON.parse(text);
    return isDeeper(value, MAX_LEVELS) ? text : value;
  } catch {
    return text;
  }
}

function walk(value: AttributeValue, path: readonly string[]): AttributeValue | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value === "" || value === null ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value))
    return Object.hasOwn(value, name) ? walk(getOwnProperty(value, name) ?? null, rest) : undefined;
  if (name !== "*") return undefined;
  for (const item of value) {
    const found = walk(item, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}
