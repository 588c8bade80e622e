import {
  type Attributes,
  type AttributeValue,
  createEmptyExport,
  type DecodedExport,
  type LogRecord,
  MAX_RECORDS,
  MAX_SPAN_EVENTS,
  MAX_VALUE_LEVELS,
  type NanoTimestamp,
  type Span,
  type SpanEvent,
  valueTooDeepError,
} from "../model.ts";
import {
  createProtobufCursor,
  type ProtobufCursor,
  type ReadField,
  readBase64,
  readDouble,
  readFields,
  readHex,
  readInteger,
  readMessage,
  readNameText,
  readNanoTimestamp,
  readText,
  readTraceHex,
  readUnsigned,
} from "./wire.ts";

/** Reads an ExportTraceServiceRequest. @throws AppError 400 */
export const decodeProtobufSpans = (bytes: Buffer): DecodedExport<Span> => readExport(bytes, readSpan);

/** Reads an ExportLogsServiceRequest. @throws AppError 400 */
export const decodeProtobufLogs = (bytes: Buffer): DecodedExport<LogRecord> => readExport(bytes, readLogRecord);

type ReadRecord<T> = (wire: ProtobufCursor, resource: Attributes) => T;
type Members = Map<string, AttributeValue>;

/**
 * Reads an export. Spans and log records have the same structure: resources (field 1 of the body) contain scopes (field
 * 2), and scopes contain records (field 2).
 */
function readExport<T>(bytes: Buffer, readRecord: ReadRecord<T>): DecodedExport<T> {
  const found = createEmptyExport<T>();
  const group: ReadField<Members> = (tag, resource, wire) => {
    if (tag === 1) readMessage(wire, resource, attributeField);
    else if (tag === 2) readMessage(wire, resource, scope);
    else return false;
    return true;
  };
  const scope: ReadField<Members> = (tag, resource, wire) => {
    if (tag !== 2) return false;
    found.count += 1;
    if (found.count > MAX_RECORDS) return false;
    found.records.push(readRecord(wire, resource));
    return true;
  };
  const root: ReadField<undefined> = (tag, _, wire) => {
    if (tag !== 1) return false;
    readMessage(wire, new Map(), group);
    return true;
  };
  readFields(createProtobufCursor(bytes), undefined, root);
  return found;
}

/** Record that is being read. */
type Open<T> = T & { attributes: Members };

/** Time of a field that was not sent. */
const UNKNOWN: NanoTimestamp = { ms: 0, nanos: 0 };

function readSpan(wire: ProtobufCursor, resource: Attributes): Span {
  const before = wire.characters;
  const span: Open<Span> = {
    resource,
    name: "",
    traceId: "",
    spanId: "",
    parentSpanId: "",
    attributes: new Map(),
    characters: 0,
    start: UNKNOWN,
    end: UNKNOWN,
    events: [],
    droppedEvents: 0,
    failed: false,
    statusMessage: "",
  };
  readMessage(wire, span, spanField);
  span.characters = wire.characters - before;
  return span;
}

const spanField: ReadField<Open<Span>> = (tag, span, wire) => {
  if (tag === 9) return addAttribute(wire, span.attributes);
  if (tag === 1) span.traceId = readTraceHex(wire);
  else if (tag === 2) span.spanId = readHex(wire);
  else if (tag === 4) span.parentSpanId = readHex(wire);
  else if (tag === 5) span.name = readText(wire);
  else if (tag === 7) span.start = readNanoTimestamp(wire);
  else if (tag === 8) span.end = readNanoTimestamp(wire);
  else if (tag === 11) return addEvent(wire, span);
  else if (tag === 15) readMessage(wire, span, statusField);
  else return false;
  return true;
};

const statusField: ReadField<Span> = (tag, span, wire) => {
  if (tag === 2) span.statusMessage = readText(wire);
  else if (tag === 3) span.failed = readUnsigned(wire) === 2;
  else return false;
  return true;
};

function addEvent(wire: ProtobufCursor, span: Span): boolean {
  if (span.events.length === MAX_SPAN_EVENTS) {
    span.droppedEvents += 1;
    return false;
  }
  span.events.push(readMessage<Open<SpanEvent>>(wire, { name: "", attributes: new Map() }, eventField));
  return true;
}

const eventField: ReadField<Open<SpanEvent>> = (tag, event, wire) => {
  if (tag === 3) return addAttribute(wire, event.attributes);
  if (tag !== 2) return false;
  event.name = readText(wire);
  return true;
};

function readLogRecord(wire: ProtobufCursor, resource: Attributes): LogRecord {
  const before = wire.characters;
  const log: Open<LogRecord> = {
    resource,
    name: "",
    traceId: "",
    spanId: "",
    attributes: new Map(),
    characters: 0,
    time: UNKNOWN,
    observed: UNKNOWN,
    body: null,
  };
  readMessage(wire, log, logField);
  log.characters = wire.characters - before;
  return log;
}

const logField: ReadField<Open<LogRecord>> = (tag, log, wire) => {
  if (tag === 6) return addAttribute(wire, log.attributes);
  if (tag === 1) log.time = readNanoTimestamp(wire);
  else if (tag === 5) log.body = readValue(wire, { value: undefined }).value ?? null;
  else if (tag === 9) log.traceId = readTraceHex(wire);
  else if (tag === 10) log.spanId = readHex(wire);
  else if (tag === 11) log.observed = readNanoTimestamp(wire);
  else if (tag === 12) log.name = readText(wire);
  else return false;
  return true;
};

/** Reads field 1, which contains both the attributes of a resource and the entries of a key-value list. */
const attributeField: ReadField<Members> = (tag, into, wire) => tag === 1 && addAttribute(wire, into);

/** Reads a KeyValue into the attributes. A KeyValue without a value adds nothing. */
function addAttribute(wire: ProtobufCursor, into: Members): true {
  const { key, value } = readMessage<Pair>(wire, { key: "", value: undefined }, pairField);
  if (value !== undefined) into.set(key, value);
  return true;
}

interface Holder {
  value: AttributeValue | undefined;
}

interface Pair extends Holder {
  key: string;
}

const pairField: ReadField<Pair> = (tag, pair, wire) => {
  if (tag === 1) pair.key = readNameText(wire);
  else if (tag === 2) readValue(wire, pair);
  else return false;
  return true;
};

/**
 * Reads an AnyValue message into `into.value` and replaces an earlier value. The value is undefined if the message is
 * empty.
 */
function readValue<T extends Holder>(wire: ProtobufCursor, into: T): T {
  wire.level += 1;
  if (wire.level > MAX_VALUE_LEVELS) throw valueTooDeepError();
  into.value = undefined;
  readMessage<Holder>(wire, into, valueField);
  wire.level -= 1;
  return into;
}

const valueField: ReadField<Holder> = (tag, into, wire) => {
  if (tag === 1) into.value = readText(wire);
  else if (tag === 2) into.value = readUnsigned(wire) !== 0;
  else if (tag === 3) into.value = readInteger(wire);
  else if (tag === 4) into.value = readDouble(wire);
  else if (tag === 5) into.value = readMessage<AttributeValue[]>(wire, [], itemField);
  else if (tag === 6) into.value = Object.fromEntries(readMessage<Members>(wire, new Map(), attributeField));
  else if (tag === 7) into.value = readBase64(wire);
  else return false;
  return true;
};

const itemField: ReadField<AttributeValue[]> = (tag, items, wire) => {
  if (tag !== 1) return false;
  items.push(readValue(wire, { value: undefined }).value ?? null);
  return true;
};
