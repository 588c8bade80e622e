import {
  type Attributes,
  type LogRecord,
  MAX_SPAN_EVENTS,
  type Span,
  type SpanEvent,
  type Value,
} from "../../model.ts";
import { addAttribute, readAnyValue } from "./any-value.ts";
import { moment, noMoment, unsigned } from "./numbers.ts";
import { hex, text, traceHex } from "./strings.ts";
import { message, type ReadField, type Wire } from "./wire.ts";

/** Reads a Span. */
export function readSpan(wire: Wire, resource: Attributes): Span {
  const before = wire.characters;
  const attributes = new Map<string, Value>();
  const span: Span & { attributes: Map<string, Value> } = {
    resource,
    name: "",
    traceId: "",
    spanId: "",
    parentSpanId: "",
    attributes,
    characters: 0,
    start: noMoment,
    end: noMoment,
    events: [],
    droppedEvents: 0,
    failed: false,
    statusMessage: "",
  };
  message(wire, span, spanField);
  span.characters = wire.characters - before;
  return span;
}

const spanField: ReadField<Span & { attributes: Map<string, Value> }> = (tag, span, wire) => {
  if (tag === 9) return addAttribute(wire, span.attributes);
  if (tag === 1) span.traceId = traceHex(wire);
  else if (tag === 2) span.spanId = hex(wire);
  else if (tag === 4) span.parentSpanId = hex(wire);
  else if (tag === 5) span.name = text(wire);
  else if (tag === 7) span.start = moment(wire);
  else if (tag === 8) span.end = moment(wire);
  else if (tag === 11) return addEvent(wire, span);
  else if (tag === 15) message(wire, span, statusField);
  else return false;
  return true;
};

const statusField: ReadField<Span> = (tag, span, wire) => {
  if (tag === 2) span.statusMessage = text(wire);
  else if (tag === 3) span.failed = unsigned(wire) === 2;
  else return false;
  return true;
};

function addEvent(wire: Wire, span: Span): boolean {
  if (span.events.length === MAX_SPAN_EVENTS) {
    span.droppedEvents += 1;
    return false;
  }
  span.events.push(message(wire, { name: "", attributes: new Map() }, eventField));
  return true;
}

const eventField: ReadField<SpanEvent & { attributes: Map<string, Value> }> = (tag, event, wire) => {
  if (tag === 3) return addAttribute(wire, event.attributes);
  if (tag !== 2) return false;
  event.name = text(wire);
  return true;
};

/** Reads a LogRecord. */
export function readLogRecord(wire: Wire, resource: Attributes): LogRecord {
  const before = wire.characters;
  const attributes = new Map<string, Value>();
  const log: LogRecord & { attributes: Map<string, Value> } = {
    resource,
    name: "",
    traceId: "",
    spanId: "",
    attributes,
    characters: 0,
    time: noMoment,
    observed: noMoment,
    body: null,
  };
  message(wire, log, logField);
  log.characters = wire.characters - before;
  return log;
}

const logField: ReadField<LogRecord & { attributes: Map<string, Value> }> = (tag, log, wire) => {
  if (tag === 6) return addAttribute(wire, log.attributes);
  if (tag === 1) log.time = moment(wire);
  else if (tag === 5) log.body = readAnyValue(wire) ?? null;
  else if (tag === 9) log.traceId = traceHex(wire);
  else if (tag === 10) log.spanId = hex(wire);
  else if (tag === 11) log.observed = moment(wire);
  else if (tag === 12) log.name = text(wire);
  else return false;
  return true;
};
