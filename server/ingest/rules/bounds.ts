/** Maximum events per request. */
export const MAX_EVENTS = 500;

/** Maximum characters of an event's name and type. */
export const MAX_NAME_CHARS = 256;
export const MAX_TYPE_CHARS = 64;

/** Maximum bytes of `args` and of `result`. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024;

/** Limits of metadata of events and sessions. */
export const METADATA_LIMITS = { levels: 32, bytes: 64 * 1024, redact: true };

/**
 * Maximum nesting of a body, and maximum number of values in a body. A name and its value count as one value. Reading a
 * body within these limits takes up to a quarter of a second.
 */
export const MAX_BODY_LEVELS = 64;
export const MAX_BODY_VALUES = 65_536;

/** Maximum characters of an error text. */
export const MAX_ERROR_CHARS = 256 * 1024;
/**
 * Maximum number of spans that are kept per trace. Further spans do not link other spans, so the events inside them
 * become children of the turn.
 */
export const MAX_SPANS_PER_TRACE = 10_000;
