import { listRequiredTexts, splitTerm, type Term } from "./term.ts";

/**
 * Number of words that are looked up in the index. The other words are compared only in the texts that the index
 * finds.
 */
export const INDEXED_WORDS = 3;
/** The index contains sequences of three letters or digits. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;

const escaped = (word: string) => word.replace(/[\\%_]/g, "\\$&");

/** Returns the whole term as a LIKE pattern. */
export const wholeTermPattern = (term: string): string => escaped(term.trim());

/** Returns the longest words that the index can look up. */
const indexedWords = (texts: readonly string[]): string[] =>
  texts
    .map(escaped)
    .filter((word) => INDEXABLE.test(word))
    .sort((one, other) => other.length - one.length)
    .slice(0, INDEXED_WORDS);

/**
 * Returns the pattern of the n-th indexed word; null if fewer words exist. With `given`, returns the pattern of the
 * word's other form.
 */
export const indexedPattern = (texts: readonly string[], n: number, given = texts): string | null => {
  const word = indexedWords(texts)[n];
  const at = texts.findIndex((text) => escaped(text) === word);
  return word === undefined ? null : `%${escaped(given[at] ?? "")}%`;
};

/** Returns the words that are not looked up in the index. */
export const findUnindexedWords = (texts: readonly string[]): string[] => {
  const indexed = indexedWords(texts);
  return texts.map(escaped).filter((word) => !indexed.includes(word));
};

/** Returns true if the index contains part of any word. */
export const hasIndexedWord = (texts: readonly string[]): boolean => indexedWords(texts).length > 0;

const IDENTIFIER = /^(?:([A-Za-z][A-Za-z0-9]{0,6})-)?([0-9]{1,7})$/;

/**
 * Returns true if the search must scan texts, because the index can look up no word of the term. Returns false for
 * identifiers such as A-1, because issues with these identifiers are found by number.
 */
export const needsTextScan = (term: Term, whole: string): boolean =>
  !hasIndexedWord(listRequiredTexts(term)) && !splitTerm(whole).every((word) => IDENTIFIER.exec(word)?.[1]);

/**
 * Share of the texts that a search may read. For a term of several words, this share is scanned before the search uses
 * the index.
 */
const SKIMMED = 0.5;

/**
 * Returns the number of newest texts to scan for a term. All readable texts are scanned if the index contains no part
 * of the term, as for terms of one or two letters.
 */
export const countTextsToScan = (term: Term, whole: string, most: number): number => {
  if (needsTextScan(term, whole)) return most;
  return indexedWords(listRequiredTexts(term)).length > 1 ? Math.floor(SKIMMED * most) : 0;
};

/**
 * Range of issue numbers that a word stands for. The numbers belong to the team with the key, or to every team if `key`
 * is null.
 */
interface Named {
  key: string | null;
  low: number;
  high: number;
}

/**
 * Returns the issue numbers that the words of a term stand for. ENG-12 stands for issue ENG-12 and, because the user
 * may still be typing, for ENG-120 to ENG-1299. 12 stands for the issue with number 12 in each team.
 */
export const findIdentifiersInTerm = (term: string): Named[] =>
  splitTerm(term).flatMap((word): Named[] => {
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
