import type { Build } from "../read/entity.ts";

const MIB = 1024 * 1024;
/** Bytes of texts that all searches of a statement compare: less than a tenth of a second. Letters beyond ASCII take twice as long. */
const [ASCII_BYTES, OTHER_BYTES] = [5 * MIB, 3 * MIB];
/** Rows that they look at. */
const ROWS = 20_000;
/** Bytes of a word that count as one comparison: in the worst texts each of them is compared at every place. */
const WORD_BYTES = 8;

/** Tells whether a text is ASCII alone. */
export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

/** The number of searches that share what a statement may read. */
const shares = ({ searches }: Pick<Build, "searches">): number => Math.max(1, searches ?? 1);

/** Rows that one search of a statement may look at. */
export const rowsOf = (build: Pick<Build, "searches">): number => Math.floor(ROWS / shares(build));

/** Bytes of texts that one search of a statement may compare with several words: to read and fold them costs as much as a comparison. */
export function bytesOf(build: Pick<Build, "searches">, words: readonly string[], tables = 1): number {
  const bytes = words.every(isAscii) ? ASCII_BYTES : OTHER_BYTES;
  const comparisons = words.reduce((sum, word) => sum + Math.ceil(Buffer.byteLength(word) / WORD_BYTES), 0);
  return Math.floor((2 * bytes) / (1 + Math.max(1, comparisons)) / shares(build) / tables);
}

/** Something to look for as SQL: the text, made ready by `comparable`, and whether it is ASCII alone. */
export interface Wanted {
  text: string;
  ascii: string;
}

/** A text to look for, as it is bound. */
export const comparable = (text: string): string => (isAscii(text) ? text.toLowerCase() : text);

/** SQL of a value in small letters. ASCII is looked for by the rules of the collation C, which fold its letters alone: that takes a third of the time. */
export const folded = (value: string, ascii: string): string =>
  `case when ${ascii} then lower(${value} collate "C") else lower(${value}) collate "C" end`;

/**
 * SQL of the place of a text in a value, in any case; 0 where it is not. Unlike a pattern of LIKE, it never takes long
 * for a text that repeats its beginning.
 */
export const placeOf = (value: string, { text, ascii }: Wanted): string =>
  `strpos(${folded(value, ascii)}, ${folded(text, ascii)})`;

/** SQL of whether one of several values holds a text in any case. */
export const holds = (values: readonly string[], wanted: Wanted): string =>
  `(${values.map((value) => `${placeOf(value, wanted)} > 0`).join(" or ")})`;
