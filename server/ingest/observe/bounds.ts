/** Bytes of a text, as for capture-*; what is longer is cut. */
export { METADATA, NAME_CHARS, PAYLOAD_BYTES } from "../rules/bounds.ts";

/** Characters of an error text, and of the same in one line. */
export const MAX_ERROR = 256 * 1024;
/** Characters of an id in the agent's own spelling. */
export const MAX_ID = 512;
/** What all sources tell of equal calls (of one name and input) that have no id, in one session: they are told apart together. */
export const MAX_PARTS = 2_000;
/** Spans that a trace remembers: links beyond are forgotten, which moves events up to their turn. */
export const MAX_SPANS = 10_000;
