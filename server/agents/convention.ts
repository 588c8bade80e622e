import type { EventKind, Observation, Usage } from "./observation.ts";

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

/** How to read a value: unchanged, or as the text of a list of messages. */
export type Reading =
  /** Text of the last message: the new part of a model call's input, or its response. */
  | "message"
  /** Text of the user's last message. */
  | "prompt"
  /** Compact JSON, so that two sources of one input agree. */
  | "json";

/** Value to read: from one place, or from the first of several places that has a value. */
export type ValueSource = ValuePlace | ValuePlace[] | ValueRule;

/** Rules for reading a value from a place. */
export interface ValueRule {
  at: ValuePlace | readonly ValuePlace[];
  /**
   * Members to follow in the value, or in the JSON that the value contains as text. `*` stands for the first element
   * that contains the remaining path.
   */
  path?: readonly string[];
  /** Reads the first group, or the whole match if there is no group. Text that does not match is not read. */
  match?: RegExp;
  as?: Reading;
  /** Number to subtract from the value. Records that directly follow each other refer to each other this way. */
  less?: number;
  /** Prefix for a value that is not unique by itself. Without the prefix, the value is not read. */
  within?: ValueSource;
  /** Alternative place, used if no value is found. */
  or?: ValueSource;
}

/** Condition on a value: present, matching, or absent and not matching. */
export type Wanted = true | RegExp | { not: RegExp };

/**
 * Meaning of one kind of span or log record: how to recognize the kind, and where to find the parts of the observation.
 */
export interface Meaning {
  /** Names of the span or event, or beginnings of names that end in `*`. */
  names?: readonly string[];
  /** Attributes that must be present, with any value or with a matching value; with `not`, no matching value. */
  where?: Readonly<Record<ValuePlace, Wanted>>;
  /**
   * True if no event may surround the span. False if an event must surround the span, or may do so because the request
   * lacks the surrounding spans.
   */
  root?: boolean;

  /** Undefined if the record becomes no event. */
  kind?: EventKind;
  id?: ValueSource;
  turn?: ValueSource;
  parentCall?: ValueSource;
  /** Name of the event. A model call without a name is named after its model. */
  name?: ValueSource;
  nameIsGeneric?: true;
  args?: ValueSource;
  result?: ValueSource;
  /** Signs that args or result are truncated. */
  argsCut?: ValueSource;
  resultCut?: ValueSource;
  /** True if this kind always contains only part of the args. */
  argsArePart?: true;
  model?: ValueSource;
  usage?: Readonly<Partial<Record<keyof Usage, ValueSource>>>;
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
  /** Meaning of a log record's time: start or end of the event. Default: end. */
  time?: "start" | "end";
  /** True to ignore the times, because they measure more than the event. */
  timeless?: true;
  /** True if the log record's span is the event itself, not the surrounding span. */
  isItsSpan?: true;
  /**
   * True if the record's span does not show the position of the event, because the span is part of the event under
   * another id.
   */
  isPart?: true;
  ends?: NonNullable<Observation["ends"]>;
}

/** Telemetry of one kind of program. The first meaning that matches a record applies. */
export interface Convention {
  name: string;
  /** Agent, if the convention belongs to a single agent. Otherwise the service name is used. */
  source?: string;
  sessionId: ValueSource;
  userId: ValueSource;
  userTraits?: Readonly<Record<string, ValueSource>>;
  /**
   * True if log records without a trace get the trace of the preceding record of the session (or of the next record, if
   * none precedes).
   */
  tracesRunOn?: true;
  spans?: readonly Meaning[];
  logs?: readonly Meaning[];
}
