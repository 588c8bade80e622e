import { AppError } from "../../../errors.ts";
import { parseBody } from "../../capture/json.ts";
import {
  type Attributes,
  type LogRecord,
  MAX_JSON_VALUES,
  MAX_RECORDS,
  MAX_SPAN_EVENTS,
  MAX_VALUE_LEVELS,
  type Span,
  type SpanEvent,
  type Value,
} from "../model.ts";
import { type Export, newExport } from "./export.ts";
import { hexId, momentOf, numberOf } from "./json-scalars.ts";

/** Reads an ExportTraceServiceRequest in JSON. @throws AppError 400 */
export const spansOfJson = (bytes: Buffer): Export<Span> =>
  readExport(bytes, { groups: "resourceSpans", scopes: "scopeSpans", records: "spans" }, readSpan);

/** Reads an ExportLogsServiceRequest in JSON. @throws AppError 400 */
export const logsOfJson = (bytes: Buffer): Export<LogRecord> =>
  readExport(bytes, { groups: "resourceLogs", scopes: "scopeLogs", records: "logRecords" }, readLogRecord);

type Json = Record<string, unknown>;

/** Counts the characters of what is read. */
interface Counter {
  characters: number;
}

interface Names {
  groups: string;
  scopes: string;
  records: string;
}

/** From the body down to a value: twelve levels; a value inside a value is four further down. */
const EXTENT = { levels: 12 + 4 * MAX_VALUE_LEVELS, values: MAX_JSON_VALUES };

function readExport<T>(
  bytes: Buffer,
  names: Names,
  readRecord: (record: Json, resource: Attributes, path: string) => T,
): Export<T> {
  const { value: body } = parseBody(bytes, EXTENT);
  const found = newExport<T>();
  for (const [group, groupPath] of objects(body, names.groups, "")) {
    const resource = attributes(objectAt(group, "resource", groupPath), `${groupPath}.resource`, { characters: 0 });
    for (const [scope, scopePath] of objects(group, names.scopes, groupPath)) {
      for (const [record, path] of objects(scope, names.records, scopePath)) {
        found.count += 1;
        if (found.count <= MAX_RECORDS) found.records.push(readRecord(record, resource, path));
      }
    }
  }
  return found;
}

function readSpan(record: Json, resource: Attributes, path: string): Span {
  const counter = { characters: 0 };
  const status = objectAt(record, "status", path);
  const events = arrayAt(record, "events", path);
  const span: Span = {
    resource,
    name: text(record, "name", path, counter),
    traceId: hexId(record["traceId"], 16, `${path}.traceId`),
    spanId: hexId(record["spanId"], 8, `${path}.spanId`),
    parentSpanId: hexId(record["parentSpanId"], 8, `${path}.parentSpanId`),
    attributes: attributes(record, path, counter),
    characters: 0,
    start: momentOf(record["startTimeUnixNano"], `${path}.startTimeUnixNano`),
    end: momentOf(record["endTimeUnixNano"], `${path}.endTimeUnixNano`),
    events: events.slice(0, MAX_SPAN_EVENTS).map((event, at) => readEvent(event, `${path}.events[${at}]`, counter)),
    droppedEvents: Math.max(0, events.length - MAX_SPAN_EVENTS),
    failed: status["code"] === 2 || status["code"] === "2" || status["code"] === "STATUS_CODE_ERROR",
    statusMessage: text(status, "message", `${path}.status`, counter),
  };
  span.characters = counter.characters;
  return span;
}

function readEvent(value: unknown, path: string, counter: Counter): SpanEvent {
  const event = objectOf(value, path);
  return { name: text(event, "name", path, counter), attributes: attributes(event, path, counter) };
}

function readLogRecord(record: Json, resource: Attributes, path: string): LogRecord {
  const counter = { characters: 0 };
  const log: LogRecord = {
    resource,
    name: text(record, "eventName", path, counter),
    traceId: hexId(record["traceId"], 16, `${path}.traceId`),
    spanId: hexId(record["spanId"], 8, `${path}.spanId`),
    attributes: attributes(record, path, counter),
    characters: 0,
    time: momentOf(record["timeUnixNano"], `${path}.timeUnixNano`),
    observed: momentOf(record["observedTimeUnixNano"], `${path}.observedTimeUnixNano`),
    body: anyValue(record["body"], `${path}.body`, 1, counter) ?? null,
  };
  log.characters = counter.characters;
  return log;
}

function attributes(holder: Json, path: string, counter: Counter): Attributes {
  return pairs(holder, "attributes", path, 1, counter);
}

function pairs(holder: Json, name: string, path: string, level: number, counter: Counter): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const [pair, at] of objects(holder, name, path)) {
    const key = text(pair, "key", at, counter);
    const value = anyValue(pair["value"], `${at}.value`, level, counter);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

/** An AnyValue; undefined when it is empty. */
function anyValue(sent: unknown, path: string, level: number, counter: Counter): Value | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (level > MAX_VALUE_LEVELS) {
    throw new AppError("input", `Values must be nested at most ${MAX_VALUE_LEVELS} levels deep`, { tag: "too_deep" });
  }
  const value = objectOf(sent, path);
  for (const name in value) {
    const inner = value[name];
    if (inner === undefined || inner === null) continue;
    if (name === "stringValue" || name === "bytesValue") return text(value, name, path, counter);
    if (name === "boolValue") return inner === true || inner === "true";
    if (name === "intValue" || name === "doubleValue") return numberOf(inner, `${path}.${name}`);
    if (name === "arrayValue") return items(objectOf(inner, path), `${path}.${name}`, level, counter);
    if (name === "kvlistValue") {
      return Object.fromEntries(pairs(objectOf(inner, path), "values", `${path}.${name}`, level + 1, counter));
    }
  }
  return undefined;
}

const items = (holder: Json, path: string, level: number, counter: Counter): Value[] =>
  arrayAt(holder, "values", path).map(
    (item, at) => anyValue(item, `${path}.values[${at}]`, level + 1, counter) ?? null,
  );

function text(holder: Json, name: string, path: string, counter: Counter): string {
  const value = holder[name] ?? "";
  if (typeof value !== "string") throw wrong(`${path}.${name}`, "a string");
  counter.characters += value.length;
  return value;
}

function* objects(holder: Json, name: string, path: string): Generator<[Json, string]> {
  const prefix = path === "" ? name : `${path}.${name}`;
  for (const [at, item] of arrayAt(holder, name, path).entries()) {
    const itemPath = `${prefix}[${at}]`;
    yield [objectOf(item, itemPath), itemPath];
  }
}

function arrayAt(holder: Json, name: string, path: string): unknown[] {
  const value = holder[name] ?? [];
  if (!Array.isArray(value)) throw wrong(`${path}.${name}`, "an array");
  return value;
}

const objectAt = (holder: Json, name: string, path: string): Json => objectOf(holder[name] ?? {}, `${path}.${name}`);

function objectOf(value: unknown, path: string): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(path, "an object");
  return value as Json;
}

const wrong = (path: string, what: string) =>
  new AppError("input", `${path.replace(/^\./, "")} must be ${what}`, { tag: "invalid_json" });
