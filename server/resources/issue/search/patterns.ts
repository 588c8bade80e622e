import { partsOf, type Term, textsIn } from "./term.ts";

/** So many words are looked up in the index; the others are looked for in what these find. */
export const INDEXED_WORDS = 3;
/** The index is one of three letters or digits in a row. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;

const escaped = (word: string) => word.replace(/[\\%_]/g, "\\$&");

/** The whole term as a LIKE pattern. */
export const wholeTerm = (term: string): string => escaped(term.trim());

/** The longest words that the index can look up. */
const indexedWords = (texts: readonly string[]): string[] =>
  texts
    .map(escaped)
    .filter((word) => INDEXABLE.test(word))
    .sort((one, other) => other.length - one.length)
    .slice(0, INDEXED_WORDS);

/** The pattern of the n-th indexed word; null where there are fewer. */
export const indexedPattern = (texts: readonly string[], n: number): string | null => {
  const word = indexedWords(texts)[n];
  return word === undefined ? null : `%${word}%`;
};

/** The words that are not looked up in the index. */
export const otherWords = (texts: readonly string[]): string[] => {
  const indexed = indexedWords(texts);
  return texts.map(escaped).filter((word) => !indexed.includes(word));
};

/** Tells whether the index has a part of one of the words. */
export const isIndexed = (texts: readonly string[]): boolean => indexedWords(texts).length > 0;

const IDENTIFIER = /^(?:([A-Za-z][A-Za-z0-9]{0,6})-)?([0-9]{1,7})$/;

/** Tells whether texts are walked: no word can be looked up. Identifiers with a short key are looked up as such alone. */
export const isWalked = (term: Term, whole: string): boolean =>
  !isIndexed(textsIn(term)) && !partsOf(whole).every((word) => IDENTIFIER.exec(word)?.[1]);

/** Share of the texts that may be looked at which are walked for several words before the index is asked. */
const SKIMMED = 0.5;

/** The number of the newest texts that are walked for a term: all where the index has no part of it, as of one or two letters. */
export const walkedRows = (term: Term, whole: string, most: number): number => {
  if (isWalked(term, whole)) return most;
  return indexedWords(textsIn(term)).length > 1 ? Math.floor(SKIMMED * most) : 0;
};

/** Numbers of issues that a word names, in a team or, where `key` is null, in any. */
interface Named {
  key: string | null;
  low: number;
  high: number;
}

/** Identifiers that the words name: ENG-12 is that issue and, while it is being typed, ENG-120 to ENG-1299; 12 is one of each team. */
export const namedIn = (term: string): Named[] =>
  partsOf(term).flatMap((word): Named[] => {
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
