import { type Attributes, type LogRecord, MAX_SPAN_EVENTS, type Span, type SpanEvent } from "../../model.ts";
import { anyValue, attributes } from "./any-value.ts";
import { arrayAt, type Counter, type Json, objectAt, objectOf, textAt } from "./members.ts";
import { hexId, momentOf } from "./scalars.ts";

/** Reads a Span. */
export function readSpan(record: Json, resource: Attributes, path: string): Span {
  const counter = { characters: 0 };
  const status = objectAt(record, "status", path);
  const events = arrayAt(record, "events", path);
  const span: Span = {
    resource,
    name: textAt(record, "name", path, counter),
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
    statusMessage: textAt(status, "message", `${path}.status`, counter),
  };
  span.characters = counter.characters;
  return span;
}

function readEvent(value: unknown, path: string, counter: Counter): SpanEvent {
  const event = objectOf(value, path);
  return { name: textAt(event, "name", path, counter), attributes: attributes(event, path, counter) };
}

/** Reads a LogRecord. */
export function readLogRecord(record: Json, resource: Attributes, path: string): LogRecord {
  const counter = { characters: 0 };
  const log: LogRecord = {
    resource,
    name: textAt(record, "eventName", path, counter),
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
