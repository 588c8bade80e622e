import { inputError } from "../../../errors.ts";
import { comparisonsOf } from "../../../read/filter/limits.ts";
import type { Arguments } from "../../resource.ts";

const MAX_TERM = 512;
const MAX_WORDS = 20;
/** Words of which most are enough: the longest, since there are many ways to choose among more. */
const MAX_CHOSEN = 8;
/** Words that titles are compared with by their trigrams: the longest. */
const MAX_COMPARED = 4;
/** Pieces of a word with hyphens that are words themselves; a longer one, such as a UUID, is found as it stands. */
const MAX_PIECES = 3;

/** Something to find, or to leave out. */
interface Wanted {
  /** Words of letters and digits alone: their stems and beginnings are found. */
  words: string[];
  /** Quoted phrases, and words with other characters in them: found as they stand, in any case. */
  literals: string[];
}

/** A term as it is looked for. */
export interface Term extends Wanted {
  without: Wanted;
  /** So many of the words are most of them; more than half if it is not said. */
  most?: number;
}

/** A term as it was given, and as it is looked for. */
export interface Asked {
  whole: string;
  term: Term;
}

/** The term of a search's arguments. @throws inputError where nothing is asked for. */
export function askedOf({ term, title, text, filter }: Arguments): Asked {
  if (title !== undefined) return describedBy(String(title), String(text ?? ""));
  const whole = String(term);
  const asked = { whole, term: readTerm(whole) };
  const { words, literals, without } = asked.term;
  if (!filter && [words, literals, without.words, without.literals].every((each) => each.length === 0))
    throw inputError("term must have a word to look for", "term");
  return asked;
}

/** Words of a title, and of the text below it, by which issues about the same are found. */
const [TITLE_WORDS, TEXT_WORDS, LEAST_LETTERS] = [6, 2, 4];
/** The share of these words that an issue about the same has. */
const SAME = 0.4;
const TEXT_CHARS = 2_000;

/** The words by which an issue of that title and text would be found. @throws inputError for a title without words. */
function describedBy(title: string, text: string): Asked {
  const wordsOf = (of: string) => [
    ...new Set(
      of
        .slice(0, TEXT_CHARS)
        .toLowerCase()
        .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [],
    ),
  ];
  const titled = wordsOf(title);
  if (titled.length === 0) throw inputError("title must have a word", "title");
  const long = titled.filter((word) => word.length >= LEAST_LETTERS);
  const own = chosen(long.length > 0 ? long : titled, TITLE_WORDS);
  const more = wordsOf(text).filter((word) => word.length >= LEAST_LETTERS && !own.includes(word));
  const words = [...own, ...chosen(more, TEXT_WORDS)];
  const most = Math.max(1, Math.ceil(SAME * words.length));
  return { whole: title.slice(0, MAX_TERM), term: { words, literals: [], without: { words: [], literals: [] }, most } };
}

/** One part of a term: perhaps a minus, then a phrase or a word. */
const PART = /(-?)(?:"([^"]+)"|(\S+))/g;
const EXCLUDES = /^-["\p{L}\p{N}]/u;
const WORD = /^[\p{L}\p{N}\p{M}]+$/u;
const NUMBER = /^\p{N}+$/u;
const LETTER = /[\p{L}\p{N}]/u;
/** Scripts that have no blanks between words. */
const UNPARTED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
/** Marks before or behind a word that are not part of it. */
const AROUND = /^[([{"'“„«¿¡]+|[)\]}"'”»,.;:!?]+$/gu;
const HYPHENS = /[-‐’']/u;

/** Reads a term. @throws inputError for one that is too long or has too many words. */
function readTerm(term: string): Term {
  const found: Term = { words: [], literals: [], without: { words: [], literals: [] } };
  for (const [part, , phrase, given = ""] of term.matchAll(PART)) {
    const excluded = EXCLUDES.test(part);
    const to = excluded ? found.without : found;
    if (phrase !== undefined) to.literals.push(phrase.trim());
    else add(to, excluded ? given : part, part === term.trim());
  }
  if (term.length > MAX_TERM || partsOf(term).length > MAX_WORDS)
    throw inputError(`term must have at most ${MAX_TERM} characters and ${MAX_WORDS} words`, "term");
  return found;
}

/** Reads one part without blanks. A mark alone is looked for only where it is the whole term. */
function add(to: Wanted, part: string, alone: boolean): void {
  const bare = part.replace(AROUND, "");
  const pieces = bare.split(HYPHENS);
  // ENG-12 is found as it stands, or named.
  const splits = pieces.length === 1 || (pieces.length <= MAX_PIECES && !pieces.some((piece) => NUMBER.test(piece)));
  if (splits && pieces.every((piece) => WORD.test(piece) && !UNPARTED.test(piece))) to.words.push(...pieces);
  else if (LETTER.test(bare)) to.literals.push(bare);
  else if (alone) to.literals.push(part);
}

/** Everything between blanks. */
export const partsOf = (term: string): string[] => term.split(/\s+/).filter(Boolean);

/** The number of comparisons that the words of a term count as. */
export const wordScans = (term: string): number =>
  partsOf(term).reduce((sum, word) => sum + comparisonsOf(word), 0) || 1;

/** Everything that a text must hold, as it stands. */
export const textsIn = ({ words, literals }: Term): string[] => [...words, ...literals];

const chosen = (words: readonly string[], most: number): string[] =>
  longest(words, most).flatMap((at) => words[at] ?? []);

const longest = (words: readonly string[], most: number): number[] =>
  words
    .map((_, at) => at)
    .sort((one, other) => (words[other]?.length ?? 0) - (words[one]?.length ?? 0))
    .slice(0, most);

/** The words that titles are compared with by their trigrams; none where something must be there as it stands. */
export const comparedWords = ({ words, literals }: Term): string[] =>
  literals.length > 0 ? [] : chosen(words, MAX_COMPARED);

const place = (at: number) => `%${at + 1}$s`;

/** The query of all words, as a format of the queries of each; null without words. */
export const everyFormat = ({ words }: Wanted): string | null =>
  words.length > 0 ? words.map((_, at) => place(at)).join(" & ") : null;

/** The query of any of the words, as such a format. */
export const anyFormat = ({ words }: Wanted): string | null =>
  words.length > 0 ? words.map((_, at) => place(at)).join(" | ") : null;

/** The query of more than half of the words, as such a format; null where that is all of them. */
export function mostFormat({ words, literals, most }: Term): string | null {
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
