/** Error for a refused pattern. The message says how to correct the pattern. */
class PatternRefused extends Error {}

/** Item of a pattern: a counted character set, a choice of words, or a word boundary, which consumes no characters. */
export type PatternItem =
  | { type: "set"; set: Set128; spelled: string; id: number; least: number; most: number; runsOn: boolean }
  | { type: "words"; words: readonly string[]; isOptional: boolean }
  | { type: "boundary" };

/**
 * Character set: one byte per ASCII character, and one byte for all other characters. A byte is 1 if the set contains
 * the character.
 */
type Set128 = Uint8Array;
export const NON_ASCII = 128;

export interface CompiledPattern {
  items: readonly PatternItem[];
  /** For each of the first three positions of a match, the characters that are allowed there. */
  heads: readonly Set128[];
  /** Text that every match contains and that JSON does not escape. Empty if the pattern has none. */
  literal: string;
  /** True if every match begins with the literal. */
  isLed: boolean;
}

/**
 * Maximum number of characters that one match attempt may read. At most one attempt begins at each character, so the
 * maximum also limits the cost of a whole text.
 */
export const MAX_MATCH_CHARS = 256;
const LEAST_CHARS = 3;
const LITERAL_CHARS = 3;

const ATOM =
  /(\\b)|\(\?:([\w -]+(?:\|[\w -]+)*)\)(\??)|(\[\^?(?:\\[\w\-\\\]^.]|[^\]\\[])+\]|\\[dwsDWS]|\.|\\[^\w\s]|[^\\[\](){}*+?|^$.])(?:\{(\d{1,3})(?:,(\d{1,3})?)?\}|([+*?]))?/y;

/**
 * Compiles a pattern of the allowed subset: characters, sets, counts, choices of words and `\b`, in sequence. Each item
 * matches as many characters as possible without backtracking, so that an attempt reads each character once.
 * @throws PatternRefused
 */
export function compilePattern(pattern: string): CompiledPattern {
  if (!/^[\x20-\x7e]*$/.test(pattern)) throw new PatternRefused("use printable ASCII characters alone");
  const items = merged(itemsOf(pattern));
  const [least, most] = lengthsOf(items);
  if (least < LEAST_CHARS)
    throw new PatternRefused(`a match must have at least ${LEAST_CHARS} characters; this one may have ${least}`);
  if (most > MAX_MATCH_CHARS)
    throw new PatternRefused(
      `a match may have at most ${MAX_MATCH_CHARS} characters, and this one ${most}; lower its counts`,
    );
  for (const [at, item] of items.entries()) checkEnd(item, items.slice(at + 1));
  const literal = literalOf(items);
  return {
    items,
    heads: headsOf(items),
    literal,
    isLed: literal !== "" && readWord(items[0])?.startsWith(literal) === true,
  };
}

/** Explains why a pattern is refused and how to correct the pattern; undefined if the pattern is valid. */
export function findPatternFault(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternRefused) return error.message;
    throw error;
  }
}

/**
 * Assigns ids to the sets of patterns that are searched together. Sets with equal spelling share an id, so that their
 * runs are read once.
 */
export function assignSetIds(patterns: readonly CompiledPattern[]): void {
  const ids = new Map<string, number>();
  for (const item of patterns.flatMap(({ items }) => items)) {
    if (item.type !== "set") continue;
    item.id = ids.get(item.spelled) ?? ids.size;
    ids.set(item.spelled, item.id);
  }
}

const HEADS = 3;

/** Item of a pattern, and the number of the item's characters that are already matched. */
interface Place {
  item: number;
  count: number;
}

/**
 * Returns the characters that are allowed at the first, second and third position of a match. For a choice of words,
 * the result combines all words.
 */
function headsOf(items: readonly PatternItem[]): Set128[] {
  let places = opened(items, { item: 0, count: 0 });
  return Array.from({ length: HEADS }, () => {
    const set = new Uint8Array(NON_ASCII + 1);
    for (const { item, count } of places)
      for (let code = 0; code <= NON_ASCII; code += 1) if (hasAt(items[item], count, code)) set[code] = 1;
    const next = places.flatMap(({ item, count }) => opened(items, { item, count: count + 1 }));
    places = [...new Map(next.map((each) => [`${each.item}:${each.count}`, each])).values()];
    return set;
  });
}

/** Returns the positions in the pattern that the next character may match. */
function opened(items: readonly PatternItem[], { item: index, count }: Place): Place[] {
  const item = items[index];
  if (!item) return [];
  const next = () => opened(items, { item: index + 1, count: 0 });
  if (item.type === "boundary") return next();
  const [least, most] = item.type === "words" ? wordLengths(item) : [item.least, item.runsOn ? Infinity : item.most];
  const here = count < most ? [{ item: index, count }] : [];
  return count >= least || (count === 0 && item.type === "words" && item.isOptional) ? [...here, ...next()] : here;
}

const wordLengths = ({ words }: { words: readonly string[] }): [number, number] => {
  const lengths = words.map(({ length }) => length);
  return [Math.min(...lengths), Math.max(...lengths)];
};

const hasAt = (item: PatternItem | undefined, count: number, code: number): boolean =>
  item?.type === "words"
    ? item.words.some((word) => word.charCodeAt(count) === code)
    : item?.type === "set" && item.set[code] === 1;

/** Returns the longest text that every match contains, without characters that JSON escapes. */
function literalOf(items: readonly PatternItem[]): string {
  const pieces = items.flatMap((item) => readWord(item)?.split(/["/\\]/) ?? []);
  const longest = pieces.reduce((one, other) => (other.length > one.length ? other : one), "");
  return longest.length < LITERAL_CHARS ? "" : longest;
}

function itemsOf(pattern: string): PatternItem[] {
  const items: PatternItem[] = [];
  for (let at = 0; at < pattern.length; at = ATOM.lastIndex) {
    ATOM.lastIndex = at;
    const atom = ATOM.exec(pattern);
    if (!atom)
      throw new PatternRefused(
        `cannot read it from character ${at + 1}, "${pattern.slice(at, at + 8)}", on; ${SUBSET}`,
      );
    const [, boundary, words, optional, set = "", from, to, sign] = atom;
    const isRange = atom[0].includes(",");
    if (boundary) items.push({ type: "boundary" });
    else if (words) items.push(choiceOf(words.split("|"), optional === "?"));
    else items.push(countedOf(set, { from, to: isRange ? to : from, sign: isRange && to === undefined ? "," : sign }));
  }
  return items;
}

const SUBSET =
  "allowed are characters, sets such as [a-z0-9] and \\d, counts such as {4,12}, ?, + and *, choices of words such as (?:live|test), and \\b";

function choiceOf(words: string[], isOptional: boolean): PatternItem {
  if (new Set(words.map(([first]) => first)).size < words.length)
    throw new PatternRefused(
      `the words of (?:${words.join("|")}) must begin with different characters; write what they share before them`,
    );
  return { type: "words", words, isOptional };
}

interface Count {
  from: string | undefined;
  to: string | undefined;
  sign: string | undefined;
}

/**
 * Maximum length of a run inside a pattern if the pattern states no maximum. A run at the end of a pattern has no
 * maximum length.
 */
const RUN = 64;

function countedOf(spelled: string, { from, to, sign }: Count): PatternItem {
  const isPlain = from === undefined && sign === undefined && /^(?:\\[^\w]|[^\\[.])/.test(spelled);
  if (isPlain) return wordItem(spelled.replace(/^\\/, ""));
  const runsOn = sign === "+" || sign === "*" || sign === ",";
  const least = Number(from ?? (sign === "?" || sign === "*" ? 0 : 1));
  const most = runsOn ? Math.max(RUN, least) : Number(to ?? 1);
  if (most < least || most === 0) throw new PatternRefused(`the counts of ${spelled} are the wrong way round, or none`);
  return { type: "set", set: setOf(spelled), spelled, id: 0, least, most, runsOn };
}

function setOf(spelled: string): Set128 {
  let form: RegExp;
  try {
    form = new RegExp(`^${spelled}$`);
  } catch {
    throw new PatternRefused(`the set ${spelled} is none: a range goes from the lower to the higher character`);
  }
  return Uint8Array.from({ length: NON_ASCII + 1 }, (_, code) =>
    form.test(code < NON_ASCII ? String.fromCharCode(code) : "\u4e00") ? 1 : 0,
  );
}

/** Merges adjacent words into one. */
function merged(items: PatternItem[]): PatternItem[] {
  const all: PatternItem[] = [];
  for (const item of items) {
    const [last, word] = [readWord(all.at(-1)), readWord(item)];
    if (last !== undefined && word !== undefined) all.pop();
    all.push(last === undefined || word === undefined ? item : wordItem(last + word));
  }
  return all;
}

/** Returns the text of an item that matches only one fixed text; otherwise undefined. */
const readWord = (item: PatternItem | undefined): string | undefined =>
  item?.type === "words" && item.words.length === 1 && !item.isOptional ? item.words[0] : undefined;

const wordItem = (word: string): PatternItem => ({ type: "words", words: [word], isOptional: false });

function lengthsOf(items: readonly PatternItem[]): [number, number] {
  let [least, most] = [0, 0];
  for (const item of items) {
    if (item.type === "boundary") continue;
    const lengths = item.type === "words" ? item.words.map(({ length }) => length) : [item.least, item.most];
    least += item.type === "words" && item.isOptional ? 0 : Math.min(...lengths);
    most += Math.max(...lengths);
  }
  return [least, most];
}

/**
 * Refuses an item of variable length if the next item may begin with the same character. The first item would take all
 * such characters and leave none for the next item. @throws PatternRefused
 */
function checkEnd(item: PatternItem, next: readonly PatternItem[]): void {
  const isFixed = item.type === "boundary" || (item.type === "words" ? !item.isOptional : item.least === item.most);
  if (isFixed) return;
  for (const other of next) {
    if (other.type === "boundary") continue;
    for (let code = 0; code < NON_ASCII; code += 1) {
      if (begins(item, code) && begins(other, code))
        throw new PatternRefused(
          `"${String.fromCharCode(code)}" may belong to two parts that follow each other; leave it out of one of their sets, or give the first a fixed count`,
        );
    }
    if (other.type === "words" ? !other.isOptional : other.least > 0) return;
  }
}

const begins = (item: PatternItem, code: number): boolean =>
  item.type === "words"
    ? item.words.some((word) => word.charCodeAt(0) === code)
    : item.type === "set" && item.set[code] === 1;
