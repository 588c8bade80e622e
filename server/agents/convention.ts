import type { EventKind, Observation, ReportedUsage } from "./observation.ts";

/**
 * Place in a span or log record: the name of an attribute, or
 * - `@name`: name of the span or event
 * - `@body`: body of a log record
 * - `@status`: failure message of a span
 * - `@moment`: time, to the nanosecond
 * - `@resource/attribute`: attribute of the resource
 * - `@event/name/attribute`: attribute of the span's last event with that name
 * - `@last/prefix/suffix`: of the attributes prefix0suffix, prefix1suffix …, the attribute with the highest number
 */
export type ValuePlace = string;

/** How to read a value. Without a `ValueFormat`, the value is read unchanged. */
export type ValueFormat =
  /**
   * Text of the last message. In the input of a model call, the last message is the new one; in the output, it is the
   * response.
   */
  | "message"
  /** Text of the user's last message. */
  | "prompt"
  /** Compact JSON, so that the same input is equal in reports of two sources. */
  | "json";

/** Value to read: from one place, or from the first of several places that has a value. */
export type ValueSource = ValuePlace | ValuePlace[] | ValueRule;

/** Rules for reading a value from a place. */
export interface ValueRule {
  at: ValuePlace | readonly ValuePlace[];
  /**
   * Names of the properties that lead to an inner value. The outer value may also be JSON text. `*` stands for the
   * first element of a list that contains the rest of the path.
   */
  path?: readonly string[];
  /**
   * Pattern for the text of the value. The result is the first group of the match, or the whole match if the pattern
   * has no group. Text that does not match is not read.
   */
  match?: RegExp;
  as?: ValueFormat;
  /**
   * Number to subtract from the value. With `less: 1`, a record that directly follows another record gets the number of
   * that other record.
   */
  less?: number;
  /** Source of a prefix, for a value that is not unique by itself. If the prefix is missing, the value is not read. */
  within?: ValueSource;
  /** Alternative place, used if no value is found. */
  or?: ValueSource;
}

/**
 * Condition on a value. `true` requires any value; a pattern requires a matching value; `not` requires that the value
 * is absent or does not match.
 */
export type ValueCondition = true | RegExp | { not: RegExp };

/**
 * Meaning of one kind of span or log record. The first fields describe how to recognize the kind; the other fields
 * describe the event and where to find its values.
 */
export interface RecordMeaning {
  /** Names of the span or event. A name that ends in `*` matches every name with this beginning. */
  names?: readonly string[];
  /**
   * Conditions on attributes. Each attribute must be present with any value (`true`), or with a value that matches the
   * pattern. With `not`, no value of the attribute may match.
   */
  where?: Readonly<Record<ValuePlace, ValueCondition>>;
  /**
   * `true`: the span matches only if no event surrounds it. `false`: the span matches only if an event surrounds it, or
   * if the request lacks the surrounding spans so that an event may surround it.
   */
  root?: boolean;

  /** Kind of the event; undefined if the record creates no event. */
  kind?: EventKind;
  id?: ValueSource;
  turn?: ValueSource;
  parentCall?: ValueSource;
  /** Name of the event. A model call without a name is named after its model. */
  name?: ValueSource;
  nameIsGeneric?: true;
  args?: ValueSource;
  result?: ValueSource;
  /** Values that show that args or result are truncated. If a value is found, the text counts as truncated. */
  argsCut?: ValueSource;
  resultCut?: ValueSource;
  /** True if this kind always contains only part of the args. */
  argsArePart?: true;
  model?: ValueSource;
  usage?: Readonly<Partial<Record<keyof ReportedUsage, ValueSource>>>;
  latency?: ValueSource;
  /** Text that reports success (`true`) or failure (`false`). */
  success?: ValueSource;
  /** The event failed if any of these values is found. */
  failedBy?: readonly ValueSource[];
  /** Error message of a failed event. */
  error?: ValueSource;
  /** Attributes to store as metadata under their own names. */
  metadata?: readonly ValuePlace[];
  /** Metadata of the session, by name. */
  session?: Readonly<Record<string, ValueSource>>;
  /** Says that the time of a log record is the start or the end of the event. The default is the end. */
  time?: "start" | "end";
  /** If true, the times of the record are not used, because they cover more than the event. */
  timeless?: true;
  /**
   * True if the span in which a log record was written is the event itself. Otherwise, the span of the log record
   * surrounds the event.
   */
  isItsSpan?: true;
  /**
   * True if the span of the record does not show which event surrounds this event, because the span itself belongs to
   * this event under another id.
   */
  isPart?: true;
  ends?: NonNullable<Observation["ends"]>;
}

/** Describes the telemetry of one kind of program. If several meanings match a record, the first one applies. */
export interface TelemetryConvention {
  name: string;
  /** Agent, if the convention belongs to a single agent. Otherwise the service name is used. */
  source?: string;
  sessionId: ValueSource;
  userId: ValueSource;
  userTraits?: Readonly<Record<string, ValueSource>>;
  /**
   * If true, a log record without a trace gets the trace of the preceding record in its session. If no preceding record
   * has a trace, the trace of the next record is used.
   */
  tracesRunOn?: true;
  spans?: readonly RecordMeaning[];
  logs?: readonly RecordMeaning[];
}
