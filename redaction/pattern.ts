/** A pattern that was refused; the message says what to write instead. */
class PatternRefused extends Error {}

/** So many characters of a set; a word stands for itself, and a boundary takes nothing. */
export type Item =
  | { type: "set"; set: Set128; spelled: string; id: number; least: number; most: number; runsOn: boolean }
  | { type: "words"; words: readonly string[]; isOptional: boolean }
  | { type: "boundary" };

/** One byte a character of ASCII, and one for all others. */
type Set128 = Uint8Array;
export const OTHERS = 128;

/** A pattern in the form in which it is run. */
export interface Compiled {
  items: readonly Item[];
  /** Characters that a match may have at its first places. */
  heads: readonly Set128[];
  /** Text that every match holds, and that JSON spells as it is. Empty: there is none to look for. */
  literal: string;
  /** True where each match begins with the literal. */
  isLed: boolean;
}

/** Characters that one attempt may look at. Attempts begin at every character at most, so this bounds the cost of a text. */
export const MOST_CHARS = 256;
const LEAST_CHARS = 3;
const LITERAL_CHARS = 3;

const ATOM =
  /(\\b)|\(\?:([\w -]+(?:\|[\w -]+)*)\)(\??)|(\[\^?(?:\\[\w\-\\\]^.]|[^\]\\[])+\]|\\[dwsDWS]|\.|\\[^\w\s]|[^\\[\](){}*+?|^$.])(?:\{(\d{1,3})(?:,(\d{1,3})?)?\}|([+*?]))?/y;

/**
 * Reads a pattern of the checked subset: characters, sets, counts, choices of words and `\b`, one after the other. Each takes
 * as many characters as it can and gives none back, so that an attempt looks at each character once.
 * @throws PatternRefused
 */
export function compilePattern(pattern: string): Compiled {
  if (!/^[\x20-\x7e]*$/.test(pattern)) throw new PatternRefused("use printable ASCII characters alone");
  const items = merged(itemsOf(pattern));
  const [least, most] = lengthsOf(items);
  if (least < LEAST_CHARS)
    throw new PatternRefused(`a match must have at least ${LEAST_CHARS} characters; this one may have ${least}`);
  if (most > MOST_CHARS)
    throw new PatternRefused(
      `a match may have at most ${MOST_CHARS} characters, and this one ${most}; lower its counts`,
    );
  for (const [at, item] of items.entries()) checkEnd(item, items.slice(at + 1));
  const literal = literalOf(items);
  return {
    items,
    heads: headsOf(items),
    literal,
    isLed: literal !== "" && wordOf(items[0])?.startsWith(literal) === true,
  };
}

/** Says why a pattern cannot be taken, and what to write instead; undefined for one that can. */
export function patternFault(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof PatternRefused) return error.message;
    throw error;
  }
}

/** Numbers the sets of patterns that are searched for together: those that are spelled alike have their runs read once. */
export function numberSets(patterns: readonly Compiled[]): void {
  const ids = new Map<string, number>();
  for (const item of patterns.flatMap(({ items }) => items)) {
    if (item.type !== "set") continue;
    item.id = ids.get(item.spelled) ?? ids.size;
    ids.set(item.spelled, item.id);
  }
}

const HEADS = 3;

/** A part of a pattern, and how many of its characters a match has so far. */
interface Place {
  item: number;
  count: number;
}

/** Characters that a match may have at its first, second and third place; a word of a choice may have what any of them has. */
function headsOf(items: readonly Item[]): Set128[] {
  let places = opened(items, { item: 0, count: 0 });
  return Array.from({ length: HEADS }, () => {
    const set = new Uint8Array(OTHERS + 1);
    for (const { item, count } of places)
      for (let code = 0; code <= OTHERS; code += 1) if (hasAt(items[item], count, code)) set[code] = 1;
    const next = places.flatMap(({ item, count }) => opened(items, { item, count: count + 1 }));
    places = [...new Map(next.map((each) => [`${each.item}:${each.count}`, each])).values()];
    return set;
  });
}

/** The places at which the next character may be, from one on. */
function opened(items: readonly Item[], { item: index, count }: Place): Place[] {
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

const hasAt = (item: Item | undefined, count: number, code: number): boolean =>
  item?.type === "words"
    ? item.words.some((word) => word.charCodeAt(count) === code)
    : item?.type === "set" && item.set[code] === 1;

/** The longest text that every match holds, without the characters that JSON escapes. */
function literalOf(items: readonly Item[]): string {
  const pieces = items.flatMap((item) => wordOf(item)?.split(/["/\\]/) ?? []);
  const longest = pieces.reduce((one, other) => (other.length > one.length ? other : one), "");
  return longest.length < LITERAL_CHARS ? "" : longest;
}

function itemsOf(pattern: string): Item[] {
  const items: Item[] = [];
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

function choiceOf(words: string[], isOptional: boolean): Item {
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

/** Runs of no stated end reach so far when they are tried, and to their end when they close a match. */
const RUN = 64;

function countedOf(spelled: string, { from, to, sign }: Count): Item {
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
  return Uint8Array.from({ length: OTHERS + 1 }, (_, code) =>
    form.test(code < OTHERS ? String.fromCharCode(code) : "\u4e00") ? 1 : 0,
  );
}

/** Words that follow each other are one. */
function merged(items: Item[]): Item[] {
  const all: Item[] = [];
  for (const item of items) {
    const [last, word] = [wordOf(all.at(-1)), wordOf(item)];
    if (last !== undefined && word !== undefined) all.pop();
    all.push(last === undefined || word === undefined ? item : wordItem(last + word));
  }
  return all;
}

/** The text that an item stands for and nothing else. */
const wordOf = (item: Item | undefined): string | undefined =>
  item?.type === "words" && item.words.length === 1 && !item.isOptional ? item.words[0] : undefined;

const wordItem = (word: string): Item => ({ type: "words", words: [word], isOptional: false });

function lengthsOf(items: readonly Item[]): [number, number] {
  let [least, most] = [0, 0];
  for (const item of items) {
    if (item.type === "boundary") continue;
    const lengths = item.type === "words" ? item.words.map(({ length }) => length) : [item.least, item.most];
    least += item.type === "words" && item.isOptional ? 0 : Math.min(...lengths);
    most += Math.max(...lengths);
  }
  return [least, most];
}

/** A run takes all it can, so that nothing that it takes may have to follow. */
function checkEnd(item: Item, next: readonly Item[]): void {
  const isFixed = item.type === "boundary" || (item.type === "words" ? !item.isOptional : item.least === item.most);
  if (isFixed) return;
  for (const other of next) {
    if (other.type === "boundary") continue;
    for (let code = 0; code < OTHERS; code += 1) {
      if (begins(item, code) && begins(other, code))
        throw new PatternRefused(
          `"${String.fromCharCode(code)}" may belong to two parts that follow each other; leave it out of one of their sets, or give the first a fixed count`,
        );
    }
    if (other.type === "words" ? !other.isOptional : other.least > 0) return;
  }
}

const begins = (item: Item, code: number): boolean =>
  item.type === "words"
    ? item.words.some((word) => word.charCodeAt(0) === code)
    : item.type === "set" && item.set[code] === 1;
