import { AppError } from "../../errors.ts";

export type Encoding = "json" | "protobuf";

/** Attribute value. Bytes are base64 text; integers beyond 2^53 are decimal text. */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** Attributes by name, without attributes that have no value. */
export type Attributes = ReadonlyMap<string, Value>;

/** Time in epoch ms, plus the remaining nanoseconds. 0 means unknown. */
export interface Moment {
  ms: number;
  nanos: number;
}

export interface SpanEvent {
  name: string;
  attributes: Attributes;
}

/** Members common to spans and log records. Ids are lower-case hex; an absent or invalid id is empty. */
export interface Telemetry {
  resource: Attributes;
  /** Name of a span, or event name of a log record. */
  name: string;
  traceId: string;
  spanId: string;
  attributes: Attributes;
  /** Number of characters of all texts. */
  characters: number;
}

/** Span, from either encoding. */
export interface Span extends Telemetry {
  parentSpanId: string;
  start: Moment;
  end: Moment;
  events: SpanEvent[];
  /** Number of events beyond MAX_SPAN_EVENTS, which are not read. */
  droppedEvents: number;
  failed: boolean;
  statusMessage: string;
}

/** Log record, from either encoding. */
export interface LogRecord extends Telemetry {
  time: Moment;
  observed: Moment;
  body: Value;
}

/** Maximum nesting of values, equal to that of metadata. */
export const MAX_VALUE_LEVELS = 32;
/** Error for values with deeper nesting. */
export const tooDeep = () =>
  new AppError("input", `Values must be nested at most ${MAX_VALUE_LEVELS} levels deep`, { tag: "too_deep" });
/** Maximum fields in a protobuf request. */
export const MAX_FIELDS = 1_048_576;
/**
 * Maximum values in a JSON request. A name and its value count as one, so an attribute counts as four. The limit is
 * lower than for protobuf because names take long to parse.
 */
export const MAX_JSON_VALUES = 131_072;
/** Maximum spans or log records that are read per request. */
export const MAX_RECORDS = 10_000;
/** Maximum events that are read per span. */
export const MAX_SPAN_EVENTS = 128;
/** Maximum characters of a span or log record: twice the maximum size of args plus result. */
export const MAX_RECORD_CHARACTERS = 4 * 1024 * 1024;

/** Spans or log records of one request. */
export interface Export<T> {
  /** The first records, if there are too many. */
  records: T[];
  /** Reasons of records that cannot be read. */
  unreadable: string[];
  /** Reasons of values that were left out of records. */
  leftOut: string[];
  /** Number of records sent. */
  count: number;
}

export const newExport = <T>(): Export<T> => ({ records: [], unreadable: [], leftOut: [], count: 0 });
