import { buildCanonicalSql } from "../../db/text/canonical.ts";
import { toCanonicalText } from "../../formats/names.ts";
import type { Build } from "../read/entity.ts";

const MIB = 1024 * 1024;
/**
 * Maximum bytes of text that all searches of a statement compare together, in less than a tenth of a second.
 * Non-ASCII text takes twice as long.
 */
const [ASCII_BYTES, OTHER_BYTES] = [5 * MIB, 3 * MIB];
/** Maximum rows that all searches of a statement read together. */
const ROWS = 20_000;
/**
 * Number of bytes of a word that count as one comparison. In the worst texts, each byte of the word is compared at
 * every position.
 */
const WORD_BYTES = 8;

/** Returns true if a text contains only ASCII. */
export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

/** Number of searches that share the read limit of a statement. */
const shares = ({ searches }: Pick<Build, "searches">): number => Math.max(1, searches ?? 1);

/** Maximum rows that one search of a statement may read. */
export const maxSearchedRows = (build: Pick<Build, "searches">): number => Math.floor(ROWS / shares(build));

/**
 * Maximum bytes of text that one search of a statement may compare with several words. Reading and folding a text
 * costs as much as one comparison.
 */
export function maxSearchedBytes(build: Pick<Build, "searches">, words: readonly string[], tables = 1): number {
  const bytes = words.every(isAscii) ? ASCII_BYTES : OTHER_BYTES;
  const comparisons = words.reduce((sum, word) => sum + Math.ceil(Buffer.byteLength(word) / WORD_BYTES), 0);
  return Math.floor((2 * bytes) / (1 + Math.max(1, comparisons)) / shares(build) / tables);
}

/** A search text as SQL: the text, prepared by `canonicalWanted`, and whether it is ASCII. */
export interface SearchTextSql {
  text: string;
  ascii: string;
}

/** Returns a search text as a bound parameter. */
export const comparable = (text: string): string => (isAscii(text) ? text.toLowerCase() : text);

/** Returns a search text for stored texts, regardless of the Unicode normal form. */
export const canonicalWanted = (text: string): string => comparable(toCanonicalText(text));

/**
 * SQL for a value in lower case. ASCII search texts use the collation C, which folds only ASCII letters and takes a
 * third of the time.
 */
export const lowerCaseSql = (value: string, ascii: string): string =>
  `case when ${ascii} then lower(${value} collate "C") else lower(${value}) collate "C" end`;

/**
 * SQL for the position of a search text in the canonical form of a value, ignoring case; 0 if absent. Unlike LIKE
 * patterns, this never becomes slow for a search text that repeats its beginning.
 */
export const positionSql = (value: string, { text, ascii }: SearchTextSql): string => {
  const at = (of: string) => `strpos(${lowerCaseSql(of, ascii)}, ${lowerCaseSql(text, ascii)})`;
  // ASCII in the canonical form also occurs in the stored text, so texts without the ASCII search text need no
  // normalization.
  return `case when ${ascii} and ${at(value)} = 0 then 0 else ${at(buildCanonicalSql(value))} end`;
};

/** SQL condition: any of several values contains a search text, ignoring case. */
export const containsTextSql = (values: readonly string[], wanted: SearchTextSql): string =>
  `(${values.map((value) => `${positionSql(value, wanted)} > 0`).join(" or ")})`;
