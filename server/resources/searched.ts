import type { Build } from "../read/entity.ts";
import { comparisonsOf } from "../read/filter/limits.ts";

const MIB = 1024 * 1024;
/** Bytes of texts that all searches of a statement compare: a tenth of a second. Letters beyond ASCII take three times as long. */
const [ASCII_BYTES, OTHER_BYTES] = [8 * MIB, 3 * MIB];
/** Rows that they look at. */
const ROWS = 20_000;
/** Letters of a word that count as one comparison of these bytes: the worst texts take so much longer for more of them. */
const LETTERS = 16;

/** Tells whether a text is ASCII alone. */
export const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

/** The number of searches that share what a statement may read. */
const shares = ({ searches }: Pick<Build, "searches">): number => Math.max(1, searches ?? 1);

/** Rows that one search of a statement may look at. */
export const rowsOf = (build: Build): number => Math.floor(ROWS / shares(build));

/** Bytes of texts that one search of a statement may compare with several words. */
export function bytesOf(build: Pick<Build, "searches">, words: readonly string[], tables = 1): number {
  const bytes = words.every(isAscii) ? ASCII_BYTES : OTHER_BYTES;
  const comparisons = words.reduce((sum, word) => sum + comparisonsOf(word, LETTERS), 0);
  return Math.floor(bytes / shares(build) / tables / Math.max(1, comparisons));
}
