import { inputError } from "../../../errors.ts";
import { comparisonsOf } from "../../../read/filter/limits.ts";

const MAX_TERM = 512;
const MAX_WORDS = 20;
/** So many words are looked up in the index; the others are looked for in what these find. */
export const INDEXED_WORDS = 3;
/** The index is one of three letters or digits in a row. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;

const escaped = (word: string) => word.replace(/[\\%_]/g, "\\$&").replaceAll("\0", "\uFFFD");

/** The whole term as a LIKE pattern. */
export const wholeTerm = (term: string): string => escaped(term.trim());

/** The words of a term, ready for a LIKE pattern. @throws inputError as `wordsIn` does. */
export const wordsOf = (term: string): string[] => wordsIn(term).map(escaped);

/** The words of a term. @throws inputError for a term that has no words, or with too many. */
export function wordsIn(term: string): string[] {
  const found = term.split(/\s+/).filter(Boolean);
  if (found.length === 0) throw inputError("term must have a word to look for", "term");
  if (term.length > MAX_TERM || found.length > MAX_WORDS) {
    throw inputError(`term must have at most ${MAX_TERM} characters and ${MAX_WORDS} words`, "term");
  }
  return found;
}

/** The number of comparisons that the words of a term count as. */
export const wordScans = (term: string): number =>
  term
    .split(/\s+/)
    .filter(Boolean)
    .reduce((sum, word) => sum + comparisonsOf(word), 0);

/** The longest words that the index can look up. */
export const indexedWords = (term: string): string[] =>
  wordsOf(term)
    .filter((word) => INDEXABLE.test(word))
    .sort((one, other) => other.length - one.length)
    .slice(0, INDEXED_WORDS);

/** The pattern of the n-th indexed word; null where there are fewer. */
export const indexedPattern = (term: string, n: number): string | null => {
  const word = indexedWords(term)[n];
  return word === undefined ? null : `%${word}%`;
};

/** The words that are not looked up in the index. */
export const otherWords = (term: string): string[] => {
  const indexed = indexedWords(term);
  return wordsOf(term).filter((word) => !indexed.includes(word));
};

const IDENTIFIER = /^(?:([A-Za-z][A-Za-z0-9]{0,6})-)?([0-9]{1,7})$/;

/** Tells whether texts are walked: no word can be looked up. Identifiers with a short key are looked up as such alone. */
export const walked = (term: string): boolean =>
  indexedWords(term).length === 0 && !wordsOf(term).every((word) => IDENTIFIER.exec(word)?.[1]);

/** Share of the texts that may be looked at which are walked for several words before the index is asked. */
const SKIMMED = 0.5;

/** The number of the newest texts that are walked for a term: all where the index has no part of it, as of one or two letters. */
export const walkedRows = (term: string, most: number): number => {
  if (walked(term)) return most;
  return indexedWords(term).length > 1 ? Math.floor(SKIMMED * most) : 0;
};

/** Numbers of issues that a word names, in a team or, where `key` is null, in any. */
interface Named {
  key: string | null;
  low: number;
  high: number;
}

/** Identifiers that the words name: ENG-12 is that issue and, while it is being typed, ENG-120 to ENG-1299; 12 is one of each team. */
export const namedIn = (term: string): Named[] =>
  wordsOf(term).flatMap((word): Named[] => {
    const [, key, digits = ""] = IDENTIFIER.exec(word) ?? [];
    if (!digits) return [];
    const number = Number(digits);
    if (key === undefined) return [{ key: null, low: number, high: number }];
    return [1, 10, 100].map((factor) => ({
      key: key.toUpperCase(),
      low: number * factor,
      high: number * factor + factor - 1,
    }));
  });
