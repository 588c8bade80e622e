/** Bytes of a text, as for capture-*; what is longer is cut. */
export { METADATA, NAME_CHARS, PAYLOAD_BYTES } from "../rules/bounds.ts";

/** Characters of an error text, and of the same in one line. */
export const MAX_ERROR = 256 * 1024;
export const MAX_ERROR_LINE = 1_000;
/** Characters of an id in the agent's own spelling. */
export const MAX_ID = 512;
/** Spans that a trace remembers: links beyond are forgotten, which moves events up to their turn. */
export const MAX_SPANS = 10_000;
