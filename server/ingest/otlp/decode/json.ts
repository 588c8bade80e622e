import { isObject } from "../../../../formats/json.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import { AppError } from "../../../errors.ts";
import { parseBody } from "../../capture/json.ts";
import {
  type Attributes,
  type AttributeValue,
  createEmptyExport,
  type DecodedExport,
  type LogRecord,
  MAX_JSON_VALUES,
  MAX_RECORDS,
  MAX_SPAN_EVENTS,
  MAX_VALUE_LEVELS,
  type NanoTimestamp,
  type Span,
  type SpanEvent,
  type TelemetryRecordBase,
  valueTooDeepError,
} from "../model.ts";

/** Reads an ExportTraceServiceRequest in JSON. @throws AppError 400 */
export const decodeJsonSpans = (bytes: Buffer): DecodedExport<Span> =>
  readExport(bytes, { groups: "resourceSpans", scopes: "scopeSpans", records: "spans" }, readSpan);

/** Reads an ExportLogsServiceRequest in JSON. @throws AppError 400 */
export const decodeJsonLogs = (bytes: Buffer): DecodedExport<LogRecord> =>
  readExport(bytes, { groups: "resourceLogs", scopes: "scopeLogs", records: "logRecords" }, readLogRecord);

type Json = Record<string, unknown>;

/** Counts the characters of the texts that are read, and collects the reasons why values were left out. */
interface Counter {
  characters: number;
  leftOut: string[];
}

interface Names {
  groups: string;
  scopes: string;
  records: string;
}

/**
 * Maximum nesting of a body. A value is twelve levels deep in the body, and each inner value adds four levels. A value
 * that is nested too deeply, up to eight times MAX_VALUE_LEVELS, is only left out; beyond that, the body is rejected.
 */
const EXTENT = { levels: 12 + 4 * 8 * MAX_VALUE_LEVELS, values: MAX_JSON_VALUES };

function readExport<T>(
  bytes: Buffer,
  names: Names,
  readRecord: (record: Json, resource: Attributes, path: string, leftOut: string[]) => T,
): DecodedExport<T> {
  const { value: body } = parseBody(bytes, EXTENT, "replaced");
  if (!Object.hasOwn(body, names.groups) && Object.keys(body).length > 0) throw noExport(names, body);
  const found = createEmptyExport<T>();
  for (const [group, groupPath] of objects(body, names.groups, "")) {
    const resource = attributes(objectAt(group, "resource", groupPath), `${groupPath}.resource`, {
      characters: 0,
      leftOut: found.leftOut,
    });
    for (const [scope, scopePath] of objects(group, names.scopes, groupPath)) {
      for (const [record, path] of objects(scope, names.records, scopePath)) {
        found.count += 1;
        if (found.count > MAX_RECORDS) continue;
        const read = attempt(() => readRecord(record, resource, path, found.leftOut), found.unreadable);
        if (read !== undefined) found.records.push(read);
      }
    }
  }
  return found;
}

/**
 * Reads part of a body. If a value in this part is wrong, only this part is left out, and the reason is added to
 * `reasons`.
 */
function attempt<T>(read: () => T, reasons: string[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    reasons.push(error.message);
    return undefined;
  }
}

/**
 * Creates the error for a body that lacks the expected field but has other fields. In an export, unknown fields are
 * ignored.
 */
function noExport({ groups }: Names, body: Json): AppError {
  const other = Object.keys(SENT_TO).find((name) => Object.hasOwn(body, name));
  const cure = other ? `; send ${other} to ${getOwnProperty(SENT_TO, other)}` : "";
  return new AppError("input", `The body must be an object with ${groups}${cure}`, { tag: "invalid_body" });
}

/** Path for each kind of export. */
const SENT_TO: Json = { resourceSpans: "/v1/traces", resourceLogs: "/v1/logs", resourceMetrics: "/v1/metrics" };

function readSpan(record: Json, resource: Attributes, path: string, leftOut: string[]): Span {
  const counter = { characters: 0, leftOut };
  const status = objectAt(record, "status", path);
  const events = arrayAt(record, "events", path);
  return {
    ...telemetryOf(record, "name", { resource, path, counter }),
    parentSpanId: hexAt(record, "parentSpanId", path, 8),
    start: momentAt(record, "startTimeUnixNano", path),
    end: momentAt(record, "endTimeUnixNano", path),
    events: events.slice(0, MAX_SPAN_EVENTS).map((event, at) => readEvent(event, `${path}.events[${at}]`, counter)),
    droppedEvents: Math.max(0, events.length - MAX_SPAN_EVENTS),
    failed: status["code"] === 2 || status["code"] === "2" || status["code"] === "STATUS_CODE_ERROR",
    statusMessage: textAt(status, "message", `${path}.status`, counter),
    // `characters` must come last, because the parser must first count the texts of all other properties.
    characters: counter.characters,
  };
}

function readEvent(value: unknown, path: string, counter: Counter): SpanEvent {
  const event = objectOf(value, path);
  return { name: textAt(event, "name", path, counter), attributes: attributes(event, path, counter) };
}

function readLogRecord(record: Json, resource: Attributes, path: string, leftOut: string[]): LogRecord {
  const counter = { characters: 0, leftOut };
  return {
    ...telemetryOf(record, "eventName", { resource, path, counter }),
    time: momentAt(record, "timeUnixNano", path),
    observed: momentAt(record, "observedTimeUnixNano", path),
    body: attempt(() => anyValue(record["body"], `${path}.body`, 1, counter), leftOut) ?? null,
    characters: counter.characters,
  };
}

const telemetryOf = (
  record: Json,
  name: string,
  { resource, path, counter }: { resource: Attributes; path: string; counter: Counter },
): TelemetryRecordBase => ({
  resource,
  name: textAt(record, name, path, counter),
  traceId: hexAt(record, "traceId", path, 16),
  spanId: hexAt(record, "spanId", path, 8),
  attributes: attributes(record, path, counter),
  characters: 0,
});

const attributes = (holder: Json, path: string, counter: Counter): Attributes =>
  pairs(holder, "attributes", path, 1, counter);

function pairs(holder: Json, name: string, path: string, level: number, counter: Counter): Map<string, AttributeValue> {
  const found = new Map<string, AttributeValue>();
  for (const [pair, at] of objects(holder, name, path)) {
    const key = textAt(pair, "key", at, counter);
    const read = () => anyValue(pair["value"], `${at}.value`, level, counter);
    const value = level === 1 ? attempt(read, counter.leftOut) : read();
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

/** Reads an AnyValue; undefined if empty. */
function anyValue(sent: unknown, path: string, level: number, counter: Counter): AttributeValue | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (level > MAX_VALUE_LEVELS) throw valueTooDeepError();
  const value = objectOf(sent, path);
  for (const name in value) {
    const inner = getOwnProperty(value, name);
    if (inner === undefined || inner === null) continue;
    if (name === "stringValue" || name === "bytesValue") return textAt(value, name, path, counter);
    if (name === "boolValue") return inner === true || inner === "true";
    if (name === "intValue" || name === "doubleValue") return numberOf(inner, `${path}.${name}`);
    if (name === "arrayValue") return items(objectOf(inner, path), `${path}.${name}`, level, counter);
    if (name === "kvlistValue")
      return Object.fromEntries(pairs(objectOf(inner, path), "values", `${path}.${name}`, level + 1, counter));
  }
  return undefined;
}

const items = (holder: Json, path: string, level: number, counter: Counter): AttributeValue[] =>
  arrayAt(holder, "values", path).map(
    (item, at) => anyValue(item, `${path}.values[${at}]`, level + 1, counter) ?? null,
  );

/** Reads a string member and counts its characters; empty if absent. */
function textAt(holder: Json, name: string, path: string, counter: Counter): string {
  const value = getOwnProperty(holder, name) ?? "";
  if (typeof value !== "string") throw wrong(`${path}.${name}`, "a string");
  counter.characters += value.length;
  return value;
}

/** Yields each object of an array member, with its path. */
function* objects(holder: Json, name: string, path: string): Generator<[Json, string]> {
  const prefix = path === "" ? name : `${path}.${name}`;
  for (const [at, item] of arrayAt(holder, name, path).entries()) {
    const itemPath = `${prefix}[${at}]`;
    yield [objectOf(item, itemPath), itemPath];
  }
}

/** Reads an array member; empty if absent. */
function arrayAt(holder: Json, name: string, path: string): unknown[] {
  const value = getOwnProperty(holder, name) ?? [];
  if (!Array.isArray(value)) throw wrong(`${path}.${name}`, "an array");
  return value;
}

/** Reads an object member; empty if absent. */
const objectAt = (holder: Json, name: string, path: string): Json =>
  objectOf(getOwnProperty(holder, name) ?? {}, `${path}.${name}`);

function objectOf(value: unknown, path: string): Json {
  if (!isObject(value)) throw wrong(path, "an object");
  return value;
}

/**
 * Reads an id with the given number of bytes, and returns lower-case hex. OTLP writes ids in hex, but senders that
 * follow protobuf's JSON mapping write base64. Any other text is not an id, and the result is then an empty string.
 */
function hexAt(holder: Json, name: string, path: string, bytes: number): string {
  const value = getOwnProperty(holder, name) ?? "";
  if (typeof value !== "string") throw wrong(`${path}.${name}`, "a string in hex");
  if (value.length === 2 * bytes && /^[0-9a-f]+$/i.test(value)) return value.toLowerCase();
  const decoded = value.length === 4 * Math.ceil(bytes / 3) ? Buffer.from(value, "base64") : undefined;
  return decoded?.length === bytes ? decoded.toString("hex") : "";
}

/** Reads nanoseconds since 1970, sent as text or as a number. A number is exact only to the microsecond. */
function momentAt(holder: Json, name: string, path: string): NanoTimestamp {
  const value = getOwnProperty(holder, name) ?? "0";
  if (typeof value === "number" && value >= 0 && value < 2 ** 64) {
    const micros = Math.round(value / 1_000);
    return { ms: Math.floor(micros / 1_000), nanos: (micros % 1_000) * 1_000 };
  }
  if (typeof value !== "string" || !/^\d{1,20}$/.test(value)) throw wrong(`${path}.${name}`, "nanoseconds since 1970");
  return { ms: Number(value.slice(0, -6)), nanos: Number(value.slice(-6)) };
}

/**
 * Reads a number, sent as number or text. Integers that a double would round, and values that are not finite, stay
 * text.
 */
function numberOf(value: unknown, path: string): AttributeValue {
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "string") throw wrong(path, "a number");
  if (/^-?\d{1,20}$/.test(value)) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return value;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) throw wrong(path, "a number");
  return number;
}

const wrong = (path: string, what: string) =>
  new AppError("input", `${path.replace(/^\./, "")} must be ${what}`, { tag: "invalid_json" });
