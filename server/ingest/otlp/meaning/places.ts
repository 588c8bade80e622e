import type { Attributes, LogRecord, Span, Value } from "../model.ts";
import type { Place } from "./convention.ts";

/** A span or a log record. */
export type Item = Span | LogRecord;

/** Takes the value of a place; undefined where there is none, or an empty text. */
export type Getter = (item: Item) => Value | undefined;

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
  return SPECIAL[place] ?? (({ attributes }) => attributes.get(place));
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
