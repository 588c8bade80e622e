import {
  type Attributes,
  type LogRecord,
  MAX_RECORDS,
  MAX_SPAN_EVENTS,
  MAX_VALUE_LEVELS,
  type Span,
  type SpanEvent,
  type Value,
} from "../model.ts";
import { type Export, newExport } from "./export.ts";
import { double, integer, moment, noMoment, unsigned } from "./protobuf/numbers.ts";
import { tooDeep } from "./protobuf/refusals.ts";
import { base64, hex, nameText, text } from "./protobuf/strings.ts";
import { message, openWire, type ReadField, readFields, type Wire } from "./protobuf/wire.ts";

/** Reads an ExportTraceServiceRequest. @throws AppError 400 */
export const spansOfProtobuf = (bytes: Buffer): Export<Span> => readExport(bytes, readSpan);

/** Reads an ExportLogsServiceRequest. @throws AppError 400 */
export const logsOfProtobuf = (bytes: Buffer): Export<LogRecord> => readExport(bytes, readLogRecord);

type ReadRecord<T> = (wire: Wire, resource: Attributes) => T;

/** Spans and logs are wrapped alike: resources (1) of scopes (2) of records (2). */
function readExport<T>(bytes: Buffer, readRecord: ReadRecord<T>): Export<T> {
  const found = newExport<T>();
  const group: ReadField<Map<string, Value>> = (tag, resource, wire) => {
    if (tag === 1) message(wire, resource, resourceField);
    else if (tag === 2) message(wire, resource, scope);
    else return false;
    return true;
  };
  const scope: ReadField<Map<string, Value>> = (tag, resource, wire) => {
    if (tag !== 2) return false;
    found.count += 1;
    if (found.count > MAX_RECORDS) return false;
    found.records.push(readRecord(wire, resource));
    return true;
  };
  const root: ReadField<undefined> = (tag, _, wire) => {
    if (tag !== 1) return false;
    message(wire, new Map(), group);
    return true;
  };
  readFields(openWire(bytes), undefined, root);
  return found;
}

const resourceField: ReadField<Map<string, Value>> = (tag, into, wire) => tag === 1 && addAttribute(wire, into);

function readSpan(wire: Wire, resource: Attributes): Span {
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
  if (tag === 1) span.traceId = hex(wire);
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

function readLogRecord(wire: Wire, resource: Attributes): LogRecord {
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
  else if (tag === 5) log.body = readValue(wire) ?? null;
  else if (tag === 9) log.traceId = hex(wire);
  else if (tag === 10) log.spanId = hex(wire);
  else if (tag === 11) log.observed = moment(wire);
  else if (tag === 12) log.name = text(wire);
  else return false;
  return true;
};

interface Pair {
  key: string;
  value: Value | undefined;
}

function addAttribute(wire: Wire, into: Map<string, Value>): true {
  const { key, value } = message<Pair>(wire, { key: "", value: undefined }, pairField);
  if (value !== undefined) into.set(key, value);
  return true;
}

const pairField: ReadField<Pair> = (tag, pair, wire) => {
  if (tag === 1) pair.key = nameText(wire);
  else if (tag === 2) pair.value = readValue(wire);
  else return false;
  return true;
};

/** An AnyValue; undefined when it is empty. */
function readValue(wire: Wire): Value | undefined {
  wire.level += 1;
  if (wire.level > MAX_VALUE_LEVELS) throw tooDeep();
  const { value } = message<{ value: Value | undefined }>(wire, { value: undefined }, valueField);
  wire.level -= 1;
  return value;
}

const valueField: ReadField<{ value: Value | undefined }> = (tag, into, wire) => {
  if (tag === 1) into.value = text(wire);
  else if (tag === 2) into.value = unsigned(wire) !== 0;
  else if (tag === 3) into.value = integer(wire);
  else if (tag === 4) into.value = finite(double(wire));
  else if (tag === 5) into.value = message<Value[]>(wire, [], itemField);
  else if (tag === 6) into.value = Object.fromEntries(message<Map<string, Value>>(wire, new Map(), memberField));
  else if (tag === 7) into.value = base64(wire);
  else return false;
  return true;
};

/** JSON has no other way to say what is no number. */
const finite = (value: number): Value => (Number.isFinite(value) ? value : String(value));

const itemField: ReadField<Value[]> = (tag, items, wire) => {
  if (tag !== 1) return false;
  items.push(readValue(wire) ?? null);
  return true;
};

const memberField: ReadField<Map<string, Value>> = (tag, members, wire) => tag === 1 && addAttribute(wire, members);
