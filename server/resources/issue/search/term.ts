import { toCanonicalText } from "../../../../formats/names.ts";
import { inputError } from "../../../errors.ts";
import { countComparisons } from "../../../read/filter/limits.ts";
import type { CoercedArguments } from "../../resource.ts";

const MAX_TERM = 512;
const MAX_WORDS = 20;
/**
 * Maximum number of words from which the query for most words is built. The longest words are used. More words would
 * have too many combinations.
 */
const MAX_CHOSEN = 8;
/** Maximum number of words that are compared with titles by trigrams: the longest words. */
const MAX_COMPARED = 4;
/**
 * Maximum number of parts of a hyphenated word for which each part becomes a search word. A word with more parts, such
 * as a UUID, is searched only as a whole.
 */
const MAX_PIECES = 3;

/** Content to find, or to exclude. */
interface Wanted {
  /** Words of only letters and digits. Stems and beginnings match too. */
  words: string[];
  /** Quoted phrases, and words with other characters. Literals match only unchanged, ignoring case. */
  literals: string[];
}

/** A parsed term. */
export interface Term extends Wanted {
  without: Wanted;
  /** Minimum number of words for a match of most words. The default is more than half of the words. */
  most?: number;
}

/** A search term, as a single text and parsed into words and phrases. */
interface Reading {
  whole: string;
  term: Term;
}

/** A term in canonical form (NFC), as used in searches. */
export interface ParsedSearch extends Reading {
  /**
   * The term as sent, parsed into words and phrases. Present only if the sent form differs from the canonical form.
   * Release 0.2.0 stored texts only as sent, and a job adds the canonical form later; until then, a search for the sent
   * form finds these texts.
   */
  given?: Reading;
}

/** Returns the term of a search's arguments. @throws inputError for an empty search. */
export function parseSearch({ term, title, text, filter }: CoercedArguments): ParsedSearch {
  if (title !== undefined) return describedBy(String(title), String(text ?? ""));
  const asked = inBothForms(String(term));
  const { words, literals, without } = asked.term;
  if (!filter && [words, literals, without.words, without.literals].every((each) => each.length === 0))
    throw inputError("term must contain a word", "term");
  return asked;
}

function inBothForms(given: string): ParsedSearch {
  const whole = toCanonicalText(given);
  const asked = { whole, term: readTerm(whole) };
  return whole === given ? asked : withGiven(asked, { whole: given, term: partedTerm(given) });
}

/** Adds the sent form to a parsed term, if both forms have the same number of words and phrases. */
function withGiven(asked: Reading, given: Reading): ParsedSearch {
  const sizes = ({ words, literals, without }: Term) =>
    [words, literals, without.words, without.literals].map(({ length }) => length).join();
  return sizes(asked.term) === sizes(given.term) ? { ...asked, given } : asked;
}

/**
 * For a search for similar issues: the maximum number of words from the title, the maximum number of words from the
 * text, and the minimum number of letters in a word.
 */
const [TITLE_WORDS, TEXT_WORDS, LEAST_LETTERS] = [6, 2, 4];
/** Share of the chosen words that an issue must contain to count as similar. */
const SAME = 0.4;
const TEXT_CHARS = 2_000;

/** Returns the words that find issues with a similar title and text. @throws inputError for a title without words. */
function describedBy(givenTitle: string, givenText: string): ParsedSearch {
  const [title, text] = [toCanonicalText(givenTitle), toCanonicalText(givenText)];
  const wordsOf = (of: string) => [
    ...new Set(
      of
        .slice(0, TEXT_CHARS)
        .toLowerCase()
        .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [],
    ),
  ];
  const titled = wordsOf(title);
  if (titled.length === 0) throw inputError("title must contain a word", "title");
  const long = titled.filter((word) => word.length >= LEAST_LETTERS);
  const own = chosen(long.length > 0 ? long : titled, TITLE_WORDS);
  const more = wordsOf(text).filter((word) => word.length >= LEAST_LETTERS && !own.includes(word));
  const words = [...own, ...chosen(more, TEXT_WORDS)];
  const most = Math.max(1, Math.ceil(SAME * words.length));
  const reading = (whole: string, all: string[]) => ({
    whole: whole.slice(0, MAX_TERM),
    term: { words: all, literals: [], without: { words: [], literals: [] }, most },
  });
  const spelled = new Map([...wordsOf(givenTitle), ...wordsOf(givenText)].map((word) => [toCanonicalText(word), word]));
  const given = words.map((word) => spelled.get(word) ?? word);
  const asked = reading(title, words);
  return given.join() === words.join() ? asked : { ...asked, given: reading(givenTitle, given) };
}

/** Matches an element of a term: a phrase or a word, optionally after a minus sign. */
const PART = /(-?)(?:"([^"]+)"|(\S+))/g;
const EXCLUDES = /^-["\p{L}\p{N}]/u;
const WORD = /^[\p{L}\p{N}\p{M}]+$/u;
const NUMBER = /^\p{N}+$/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Scripts without spaces between words. */
const UNPARTED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
/** Matches punctuation before or after a word. This punctuation does not belong to the word. */
const AROUND = /^[([{"'“„«¿¡]+|[)\]}"'”»,.;:!?]+$/gu;
const HYPHENS = /[-‐’']/u;

/** Parses a term. @throws inputError for a term that is too long or has too many words. */
function readTerm(term: string): Term {
  const found = partedTerm(term);
  if (term.length > MAX_TERM || splitTerm(term).length > MAX_WORDS)
    throw inputError(`term must have at most ${MAX_TERM} characters and ${MAX_WORDS} words`, "term");
  return found;
}

function partedTerm(term: string): Term {
  const found: Term = { words: [], literals: [], without: { words: [], literals: [] } };
  for (const [part, , phrase, given = ""] of term.matchAll(PART)) {
    const excluded = EXCLUDES.test(part);
    const to = excluded ? found.without : found;
    if (phrase !== undefined) to.literals.push(phrase.trim());
    else add(to, excluded ? given : part, part === term.trim());
  }
  return found;
}

/**
 * Adds an element without spaces to the words or phrases of a term. Punctuation alone is searched only if the whole
 * term is punctuation.
 */
function add(to: Wanted, part: string, alone: boolean): void {
  const bare = part.replace(AROUND, "");
  const pieces = bare.split(HYPHENS);
  // A word with a number after a hyphen, such as ENG-12, is not split. Searches find such a word as text, or as an
  // identifier.
  const splits = pieces.length === 1 || (pieces.length <= MAX_PIECES && !pieces.some((piece) => NUMBER.test(piece)));
  if (splits && pieces.every((piece) => WORD.test(piece) && !UNPARTED.test(piece))) to.words.push(...pieces);
  else if (LETTER.test(bare)) to.literals.push(bare);
  else if (alone) to.literals.push(part);
}

/** Returns the parts between spaces. */
export const splitTerm = (term: string): string[] => term.split(/\s+/).filter(Boolean);

/** Returns how many comparisons the server charges for the words of a term. */
export const countWordComparisons = (term: string): number =>
  splitTerm(term).reduce((sum, word) => sum + countComparisons(word), 0) || 1;

/** Returns all texts that a match must contain unchanged. */
export const listRequiredTexts = ({ words, literals }: Term): string[] => [...words, ...literals];

const chosen = (words: readonly string[], most: number): string[] =>
  longest(words, most).flatMap((at) => words[at] ?? []);

const longest = (words: readonly string[], most: number): number[] =>
  words
    .map((_, at) => at)
    .sort((one, other) => (words[other]?.length ?? 0) - (words[one]?.length ?? 0))
    .slice(0, most);

/**
 * Returns the words that are compared with titles by trigrams. Empty for a term with phrases, which must occur
 * unchanged.
 */
export const selectTrigramWords = ({ words, literals }: Term): string[] =>
  literals.length > 0 ? [] : chosen(words, MAX_COMPARED);

const place = (at: number) => `%${at + 1}$s`;

/**
 * Returns a format string for a query that requires all words. Each placeholder stands for the query of a word. Null if
 * there are no words.
 */
export const allWordsQueryFormat = ({ words }: Wanted): string | null =>
  words.length > 0 ? words.map((_, at) => place(at)).join(" & ") : null;

/** Returns a format string for a query that requires any of the words. Null if there are no words. */
export const anyWordQueryFormat = ({ words }: Wanted): string | null =>
  words.length > 0 ? words.map((_, at) => place(at)).join(" | ") : null;

/** Returns a format string for a query that requires most words. Null if most words would mean all words. */
export function mostWordsQueryFormat({ words, literals, most }: Term): string | null {
  const among = longest(words, MAX_CHOSEN);
  const least = most ?? Math.floor(among.length / 2) + 1;
  if (literals.length > 0 || least >= among.length) return null;
  return choices(among, least)
    .map((each) => `(${each.map(place).join(" & ")})`)
    .join(" | ");
}

function choices(among: readonly number[], count: number): number[][] {
  if (count === 0) return [[]];
  return among.flatMap((first, at) => choices(among.slice(at + 1), count - 1).map((rest) => [first, ...rest]));
}
