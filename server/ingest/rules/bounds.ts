/** Events of one request. */
export const MAX_EVENTS = 500;

/** Characters of an event's name and type. */
export const NAME_CHARS = 256;
export const TYPE_CHARS = 64;

/** Bytes of `args`, and of `result`. */
export const PAYLOAD_BYTES = 1024 * 1024;

/** The bounds of metadata, of events as of sessions. */
export const METADATA = { levels: 32, bytes: 64 * 1024, redact: true };

/** Levels of a body, and its values: a name and what it stands for are one. They are parsed and walked in a quarter of a second. */
export const MAX_LEVELS = 64;
export const MAX_VALUES = 65_536;

/** Characters of an error text, and of the same in one line. */
export const MAX_ERROR = 256 * 1024;
/** Characters of an id in the agent's own spelling. */
export const MAX_ID = 512;
/** Spans that a trace remembers: links beyond are forgotten, which moves events up to their turn. */
export const MAX_SPANS = 10_000;
