import { buildNfcSql } from "../../db/text/canonical.ts";
import { toCanonicalText } from "../../formats/names.ts";
import type { StatementBuild } from "../read/entity.ts";

const MIB = 1024 * 1024;
/**
 * Maximum bytes of text that all searches of a statement compare together, so that the comparison takes less than a
 * tenth of a second. The second limit applies to search texts that are not ASCII, because their comparison takes twice
 * as long.
 */
const [ASCII_BYTES, OTHER_BYTES] = [5 * MIB, 3 * MIB];
/** Maximum rows that all searches of a statement read together. */
const ROWS = 20_000;
/**
 * Number of bytes of a word that count as one comparison. A longer word counts as several comparisons, because in the
 * worst texts each byte of the word is compared at every position.
 */
const WORD_BYTES = 8;

export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

/** Number of searches that share the read limit of a statement. */
const shares = ({ searches }: Pick<StatementBuild, "searches">): number => Math.max(1, searches ?? 1);

/** Maximum rows that one search of a statement may read. */
export const maxSearchedRows = (build: Pick<StatementBuild, "searches">): number => Math.floor(ROWS / shares(build));

/**
 * Maximum bytes of text that one search of a statement may compare with several words. Reading and folding a text
 * costs as much as one comparison.
 */
export function maxSearchedBytes(
  build: Pick<StatementBuild, "searches">,
  words: readonly string[],
  tables = 1,
): number {
  const bytes = words.every(isAscii) ? ASCII_BYTES : OTHER_BYTES;
  const comparisons = words.reduce((sum, word) => sum + Math.ceil(Buffer.byteLength(word) / WORD_BYTES), 0);
  return Math.floor((2 * bytes) / (1 + Math.max(1, comparisons)) / shares(build) / tables);
}

/** SQL for a search text that `toCanonicalSearchText` has prepared, and SQL for whether the text is ASCII. */
export interface SearchTextSql {
  text: string;
  ascii: string;
}

/**
 * Returns a search text in the form in which the text is bound as a parameter: ASCII text in lower case, other text
 * unchanged.
 */
export const lowerCaseIfAscii = (text: string): string => (isAscii(text) ? text.toLowerCase() : text);

/**
 * Returns a search text in canonical form for a comparison with stored texts, so that the Unicode normal form does not
 * matter.
 */
export const toCanonicalSearchText = (text: string): string => lowerCaseIfAscii(toCanonicalText(text));

/**
 * SQL for a value in lower case. ASCII search texts use the collation C, which folds only ASCII letters and takes a
 * third of the time.
 */
export const lowerCaseSql = (value: string, ascii: string): string =>
  `case when ${ascii} then lower(${value} collate "C") else lower(${value}) collate "C" end`;

/**
 * SQL for the position of a search text in the canonical form of a value, ignoring case; 0 if the value does not
 * contain the text. Uses `strpos`, because a LIKE pattern becomes slow if the search text repeats its beginning.
 */
export const searchTextPositionSql = (value: string, { text, ascii }: SearchTextSql): string => {
  const at = (of: string) => `strpos(${lowerCaseSql(of, ascii)}, ${lowerCaseSql(text, ascii)})`;
  // If the canonical form contains an ASCII search text, the stored text also contains the search text. A stored text
  // without the search text is therefore not normalized.
  return `case when ${ascii} and ${at(value)} = 0 then 0 else ${at(buildNfcSql(value))} end`;
};

/** SQL condition: any of several values contains a search text, ignoring case. */
export const containsTextSql = (values: readonly string[], wanted: SearchTextSql): string =>
  `(${values.map((value) => `${searchTextPositionSql(value, wanted)} > 0`).join(" or ")})`;
