import {
  type Attributes,
  type Export,
  type LogRecord,
  MAX_RECORDS,
  MAX_SPAN_EVENTS,
  MAX_VALUE_LEVELS,
  type Moment,
  newExport,
  type Span,
  type SpanEvent,
  tooDeep,
  type Value,
} from "../model.ts";
import {
  base64,
  double,
  hex,
  integer,
  message,
  moment,
  nameText,
  openWire,
  type ReadField,
  readFields,
  text,
  traceHex,
  unsigned,
  type Wire,
} from "./wire.ts";

/** Reads an ExportTraceServiceRequest. @throws AppError 400 */
export const spansOfProtobuf = (bytes: Buffer): Export<Span> => readExport(bytes, readSpan);

/** Reads an ExportLogsServiceRequest. @throws AppError 400 */
export const logsOfProtobuf = (bytes: Buffer): Export<LogRecord> => readExport(bytes, readLogRecord);

type ReadRecord<T> = (wire: Wire, resource: Attributes) => T;
type Members = Map<string, Value>;

/** Spans and logs are wrapped alike: resources (1) of scopes (2) of records (2). */
function readExport<T>(bytes: Buffer, readRecord: ReadRecord<T>): Export<T> {
  const found = newExport<T>();
  const group: ReadField<Members> = (tag, resource, wire) => {
    if (tag === 1) message(wire, resource, attributeField);
    else if (tag === 2) message(wire, resource, scope);
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
    message(wire, new Map(), group);
    return true;
  };
  readFields(openWire(bytes), undefined, root);
  return found;
}

/** A record while it is read. */
type Open<T> = T & { attributes: Members };

/** The moment of a field that was not sent. */
const UNKNOWN: Moment = { ms: 0, nanos: 0 };

function readSpan(wire: Wire, resource: Attributes): Span {
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
  message(wire, span, spanField);
  span.characters = wire.characters - before;
  return span;
}

const spanField: ReadField<Open<Span>> = (tag, span, wire) => {
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
  span.events.push(message<Open<SpanEvent>>(wire, { name: "", attributes: new Map() }, eventField));
  return true;
}

const eventField: ReadField<Open<SpanEvent>> = (tag, event, wire) => {
  if (tag === 3) return addAttribute(wire, event.attributes);
  if (tag !== 2) return false;
  event.name = text(wire);
  return true;
};

function readLogRecord(wire: Wire, resource: Attributes): LogRecord {
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
  message(wire, log, logField);
  log.characters = wire.characters - before;
  return log;
}

const logField: ReadField<Open<LogRecord>> = (tag, log, wire) => {
  if (tag === 6) return addAttribute(wire, log.attributes);
  if (tag === 1) log.time = moment(wire);
  else if (tag === 5) log.body = readValue(wire, { value: undefined }).value ?? null;
  else if (tag === 9) log.traceId = traceHex(wire);
  else if (tag === 10) log.spanId = hex(wire);
  else if (tag === 11) log.observed = moment(wire);
  else if (tag === 12) log.name = text(wire);
  else return false;
  return true;
};

/** Attributes of a resource and members of a list of values have the same tag. */
const attributeField: ReadField<Members> = (tag, into, wire) => tag === 1 && addAttribute(wire, into);

/** Reads a KeyValue into the attributes at hand; one without a value adds nothing. */
function addAttribute(wire: Wire, into: Members): true {
  const { key, value } = message<Pair>(wire, { key: "", value: undefined }, pairField);
  if (value !== undefined) into.set(key, value);
  return true;
}

interface Holder {
  value: Value | undefined;
}

interface Pair extends Holder {
  key: string;
}

const pairField: ReadField<Pair> = (tag, pair, wire) => {
  if (tag === 1) pair.key = nameText(wire);
  else if (tag === 2) readValue(wire, pair);
  else return false;
  return true;
};

/** Reads an AnyValue into what holds it, in place of the one before; undefined when it is empty. */
function readValue<T extends Holder>(wire: Wire, into: T): T {
  wire.level += 1;
  if (wire.level > MAX_VALUE_LEVELS) throw tooDeep();
  into.value = undefined;
  message<Holder>(wire, into, valueField);
  wire.level -= 1;
  return into;
}

const valueField: ReadField<Holder> = (tag, into, wire) => {
  if (tag === 1) into.value = text(wire);
  else if (tag === 2) into.value = unsigned(wire) !== 0;
  else if (tag === 3) into.value = integer(wire);
  else if (tag === 4) into.value = double(wire);
  else if (tag === 5) into.value = message<Value[]>(wire, [], itemField);
  else if (tag === 6) into.value = Object.fromEntries(message<Members>(wire, new Map(), attributeField));
  else if (tag === 7) into.value = base64(wire);
  else return false;
  return true;
};

const itemField: ReadField<Value[]> = (tag, items, wire) => {
  if (tag !== 1) return false;
  items.push(readValue(wire, { value: undefined }).value ?? null);
  return true;
};
