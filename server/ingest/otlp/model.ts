import { AppError } from "../../errors.ts";

export type Encoding = "json" | "protobuf";

/** Attribute value. Bytes are base64 text; integers beyond 2^53 are decimal text. */
export type AttributeValue = string | number | boolean | null | AttributeValue[] | { [key: string]: AttributeValue };

/** Attributes by name, without attributes that have no value. */
export type Attributes = ReadonlyMap<string, AttributeValue>;

/** Time in epoch ms, plus the remaining nanoseconds. 0 means unknown. */
export interface NanoTimestamp {
  ms: number;
  nanos: number;
}

export interface SpanEvent {
  name: string;
  attributes: Attributes;
}

/**
 * Properties that spans and log records have in common. Ids are lower-case hex. If an id is absent or invalid, the id
 * is an empty string.
 */
export interface TelemetryRecordBase {
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
export interface Span extends TelemetryRecordBase {
  parentSpanId: string;
  start: NanoTimestamp;
  end: NanoTimestamp;
  events: SpanEvent[];
  /** Number of span events beyond MAX_SPAN_EVENTS. The server does not read the dropped events. */
  droppedEvents: number;
  failed: boolean;
  statusMessage: string;
}

/** Log record, from either encoding. */
export interface LogRecord extends TelemetryRecordBase {
  time: NanoTimestamp;
  observed: NanoTimestamp;
  body: AttributeValue;
}

/**
 * Maximum nesting of a value, in an attribute or in the body of a log record. The limit is the same as for metadata.
 */
export const MAX_VALUE_LEVELS = 32;
/** Error for values with deeper nesting. */
export const valueTooDeepError = () =>
  new AppError("input", `Values must be nested at most ${MAX_VALUE_LEVELS} levels deep`, { tag: "too_deep" });
/** Maximum fields in a protobuf request. */
export const MAX_PROTOBUF_FIELDS = 1_048_576;
/**
 * Maximum number of values in a JSON request. A name and its value count as one, so that an attribute counts as four.
 * The limit is lower than for protobuf, because JSON names take long to parse.
 */
export const MAX_JSON_VALUES = 131_072;
/** Maximum spans or log records that are read per request. */
export const MAX_RECORDS = 10_000;
/** Maximum events that are read per span. */
export const MAX_SPAN_EVENTS = 128;
/** Maximum characters of a span or log record: twice the maximum size of args plus result. */
export const MAX_RECORD_CHARACTERS = 4 * 1024 * 1024;

/** Spans or log records of one request. */
export interface DecodedExport<T> {
  /** Records that were read. If an export has too many records, only the first ones are read. */
  records: T[];
  /** Reasons why records could not be read. */
  unreadable: string[];
  /** Reasons why values of records or resources were left out. Leaving out a value does not reject its record. */
  leftOut: string[];
  /** Number of records sent. */
  count: number;
}

export const createEmptyExport = <T>(): DecodedExport<T> => ({ records: [], unreadable: [], leftOut: [], count: 0 });
