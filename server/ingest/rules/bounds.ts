/** Maximum events per request. */
export const MAX_EVENTS = 500;

/** Maximum characters of an event's name and type. */
export const NAME_CHARS = 256;
export const TYPE_CHARS = 64;

/** Maximum bytes of `args` and of `result`. */
export const PAYLOAD_BYTES = 1024 * 1024;

/** Limits of metadata of events and sessions. */
export const METADATA_LIMITS = { levels: 32, bytes: 64 * 1024, redact: true };

/**
 * Maximum nesting and number of values of a body. A name and its value count as one. Parsing and traversing a body
 * within these limits takes up to a quarter of a second.
 */
export const MAX_LEVELS = 64;
export const MAX_VALUES = 65_536;

/** Maximum characters of an error text. */
export const MAX_ERROR = 256 * 1024;
/** Maximum spans stored per trace. Further links are dropped; their events move up to the turn. */
export const MAX_SPANS = 10_000;
