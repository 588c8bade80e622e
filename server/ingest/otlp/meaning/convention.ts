import type { EventKind, Observation, Usage } from "../../observe/observation.ts";

/**
 * A place in a span or a log record: an attribute's name, or one of
 * `@name` (of the span or event), `@body`, `@status` (a span's failure message), `@moment` (its time, to the nanosecond),
 * `@resource/attribute`, `@event/name/attribute` (the last event of that name during the span), and
 * `@last/prefix/suffix` (of the attributes prefix0suffix, prefix1suffix … the one with the highest number).
 */
export type Place = string;

/** The way to read a value: as it is, or as the text of a list of messages. */
export type Reading =
  /** The text of the last message: what is new in a model call's input, or its answer. */
  | "message"
  /** The text of the last message of the user. */
  | "prompt"
  /** JSON written the shortest way, so that two sources of one input agree. */
  | "json";

/** A value to take: from a place, or from the first of some places where there is one. */
export type Take = Place | Place[] | Way;

/** A way to take a value from a place. */
export interface Way {
  at: Place | readonly Place[];
  /** Members to walk in the value, or in the JSON that it is the text of; `*` is the first element that has the rest. */
  path?: readonly string[];
  /** Takes the first group, or all that matches. Texts that do not match are not taken. */
  match?: RegExp;
  as?: Reading;
  /** It is a number, and this many less are meant: records that come right after each other name each other so. */
  less?: number;
  /** The prefix, for a value that is not unique by itself. Without it nothing is taken. */
  within?: Take;
  /** The place to take it from otherwise. */
  or?: Take;
}

/** The meaning of one kind of span or log record: the marks of the kind, and the places of the observation's parts. */
export interface Meaning {
  /** Its name (of the span or event), or a part of its beginning that ends in `*`. */
  names?: readonly string[];
  /** Attributes it must have, with any value or with one that matches. */
  where?: Readonly<Record<Place, RegExp | true>>;
  /** True when no event may surround the span; false when one must (or may, if the spans around it were not sent along). */
  root?: boolean;

  /** Undefined: it makes no event. */
  kind?: EventKind;
  id?: Take;
  turn?: Take;
  parentCall?: Take;
  /** A model call is named by its model unless something else is given. */
  name?: Take;
  nameIsGeneric?: true;
  args?: Take;
  result?: Take;
  /** The sign that args or result are cut. */
  argsCut?: Take;
  resultCut?: Take;
  /** True when this kind always carries but a part. */
  argsArePart?: true;
  model?: Take;
  usage?: Readonly<Partial<Record<keyof Usage, Take>>>;
  latency?: Take;
  /** A text of a success or failure: `true` or `false`. */
  success?: Take;
  /** It failed where one of these is found. */
  failedBy?: readonly Take[];
  /** The error's message, for a failure. */
  error?: Take;
  /** Kept as metadata under its own name. */
  metadata?: readonly Place[];
  /** Metadata of the session, by name. */
  session?: Readonly<Record<string, Take>>;
  /** The meaning of a log record's time: a beginning or an end. It is an end unless given. */
  time?: "start" | "end";
  /** True when times are left out, because it measures more than the event. */
  timeless?: true;
  /** The log record's span is the event itself, not what surrounds it. */
  isItsSpan?: true;
  /** Its span says nothing of where the event stands: it is a part of the event under another id. */
  isPart?: true;
  ends?: NonNullable<Observation["ends"]>;
}

/** The telemetry of one kind of program. The first meaning that fits a record applies. */
export interface Convention {
  name: string;
  /** The agent, if the convention is one agent's own; else the service's name stands for it. */
  source?: string;
  sessionId: Take;
  userId: Take;
  userTraits?: Readonly<Record<string, Take>>;
  /** Log records that name no trace belong to that of the record before them (or, at first, behind), of the same session. */
  tracesRunOn?: true;
  spans?: readonly Meaning[];
  logs?: readonly Meaning[];
}
