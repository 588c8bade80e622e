import { AppError } from "../../errors.ts";

/** The encoding of a request and its answer. */
export type Encoding = "json" | "protobuf";

/** A value of an attribute; bytes are base64 text, integers beyond 2^53 decimal text. */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** Attributes by name. What was sent without a value is left out. */
export type Attributes = ReadonlyMap<string, Value>;

/** A moment: epoch ms, and the nanoseconds beyond. 0 stands for unknown. */
export interface Moment {
  ms: number;
  nanos: number;
}

/** Something that happened during a span. */
export interface SpanEvent {
  name: string;
  attributes: Attributes;
}

/** The members that spans and log records share. Ids are lower-case hex; an absent or invalid id is empty. */
export interface Telemetry {
  resource: Attributes;
  /** A span's name, a log record's event name. */
  name: string;
  traceId: string;
  spanId: string;
  attributes: Attributes;
  /** Characters of its texts. */
  characters: number;
}

/** A span, in either encoding. */
export interface Span extends Telemetry {
  parentSpanId: string;
  start: Moment;
  end: Moment;
  events: SpanEvent[];
  /** Events beyond those that are read. */
  droppedEvents: number;
  failed: boolean;
  statusMessage: string;
}

/** A log record, in either encoding. */
export interface LogRecord extends Telemetry {
  time: Moment;
  observed: Moment;
  body: Value;
}

/** Values nest so deep at most, as metadata does. */
export const MAX_VALUE_LEVELS = 32;
/** The refusal of what nests deeper. */
export const tooDeep = () =>
  new AppError("input", `Values must be nested at most ${MAX_VALUE_LEVELS} levels deep`, { tag: "too_deep" });
/** Fields of one request in protobuf. */
export const MAX_FIELDS = 1_048_576;
/** Values of one in JSON, a name and what it stands for being one; an attribute has four. Names take long to parse. */
export const MAX_JSON_VALUES = 131_072;
/** The most spans or log records of one request that are read. */
export const MAX_RECORDS = 10_000;
/** The most events of one span that are read. */
export const MAX_SPAN_EVENTS = 128;
/** Characters of one span or log record: args and result of the greatest size, and as much again. */
export const MAX_RECORD_CHARACTERS = 4 * 1024 * 1024;

/** The spans or log records of one request. */
export interface Export<T> {
  /** The first ones, if there are too many. */
  records: T[];
  /** The number that was sent. */
  count: number;
}

/** An export of which nothing is read yet. */
export const newExport = <T>(): Export<T> => ({ records: [], count: 0 });
