import { skipDiffOrQuoteMark, skipLinePrefix } from "./prefix.ts";

/** Sets of ASCII characters, one bit each. */
const ALPHABETS = {
  digit: "0-9",
  hex: "0-9a-f",
  anyhex: "0-9a-fA-F",
  base32: "A-Z2-7",
  upper: "A-Z0-9",
  lower: "a-z0-9",
  alnum: "0-9A-Za-z",
  word: "0-9A-Za-z_-",
  base64: "0-9A-Za-z+/",
  /** token68 of RFC 9110, the alphabet of credentials in a header. */
  token68: "0-9A-Za-z._~+/=-",
  /** Base64 in a URL, including percent escapes. */
  escaped: "0-9A-Za-z._~%+/=-",
  pad: "=",
} as const;

export type Alphabet = keyof typeof ALPHABETS;

const NAMES = Object.keys(ALPHABETS) as Alphabet[];
const BITS = new Uint16Array(128);
for (const [bit, name] of NAMES.entries()) {
  const set = new RegExp(`[${ALPHABETS[name]}]`);
  for (let code = 0; code < 128; code += 1)
    if (set.test(String.fromCharCode(code))) BITS[code] = (BITS[code] ?? 0) | (1 << bit);
}

export const getAlphabetBit = (name: Alphabet): number => 1 << NAMES.indexOf(name);

/** Returns true if the character set with this bit contains the character code. */
export const isInAlphabet = (code: number, bit: number): boolean => code < 128 && ((BITS[code] ?? 0) & bit) !== 0;

const ALNUM = getAlphabetBit("alnum");
/** Returns true if the character code is an ASCII letter or digit. */
export const isAlnum = (code: number): boolean => isInAlphabet(code, ALNUM);

/**
 * A run: consecutive characters of one character set. `isDrawn` is true if the run looks random, and undefined if the
 * run was not checked.
 */
interface Stretch {
  from: number;
  end: number;
  isDrawn: boolean | undefined;
}

/**
 * A text, with the number of steps spent on reading: one step per character read, and steps for other operations of
 * limited cost. Remembers the ends of runs of characters, so that no run is read again from another position inside the
 * run.
 */
export class TextReader {
  steps = 0;
  readonly text: string;
  /** Position of each character in the sent text, if some characters were removed or replaced. */
  readonly places: Uint32Array | undefined;
  /** The last run that `runEnd` read, by the bit of the character set. */
  #last: Map<number, Stretch> | undefined;
  /** Runs that `lineRun` read, by position and character set. */
  #lines: Map<number, Stretch> | undefined;
  #starts: Map<number, readonly number[]> | undefined;

  constructor(text: string, places?: Uint32Array) {
    this.text = text;
    this.places = places;
  }

  /**
   * Returns the end of the run that contains the position. The run consists of characters from the set with this bit.
   */
  runEnd(from: number, bit: number): number {
    const last = this.#last?.get(bit);
    this.steps += 1;
    if (last && from >= last.from && from < last.end) return last.end;
    const end = this.#read(from, bit);
    this.#last ??= new Map();
    this.#last.set(bit, { from, end, isDrawn: undefined });
    return end;
  }

  /** Returns the run of characters from the set that begins at `from`, the position after the prefix of a line. */
  lineRun(from: number, bit: number): Stretch {
    const key = from * 32 + (31 - Math.clz32(bit));
    const known = this.#lines?.get(key);
    this.steps += 1;
    if (known) return known;
    const end = this.#read(from, bit);
    const run = { from, end, isDrawn: looksRandom(this.text.slice(from, end)) };
    this.steps += end - from;
    this.#lines ??= new Map();
    this.#lines.set(key, run);
    return run;
  }

  #read(from: number, bit: number): number {
    const { text } = this;
    let end = from;
    while (isInAlphabet(text.charCodeAt(end), bit)) end += 1;
    this.steps += end - from + 1;
    return end;
  }

  /**
   * Returns the positions at which a text may continue after the line break at `from`: the position after a diff mark
   * and spaces, and the position after all prefixes that tools print. Returns no positions if no line ends at `from`.
   */
  lineStarts(from: number): readonly number[] {
    const code = this.text.charCodeAt(from);
    if (code !== NEWLINE && code !== RETURN && code !== BACKSLASH) return NONE;
    const known = this.#starts?.get(from);
    this.steps += 1;
    if (known) return known;
    const line = afterLineEnd(this.text, from);
    const [simple, full] =
      line < 0 ? [-1, -1] : [skipDiffOrQuoteMark(this.text, line), skipLinePrefix(this.text, line)];
    const starts = line < 0 ? NONE : full === simple ? [simple] : [simple, full];
    this.steps += 8 + Math.max(0, full - from) + Math.max(0, simple - from);
    this.#starts ??= new Map();
    this.#starts.set(from, starts);
    return starts;
  }

  /** Returns true if a character was removed or replaced directly before the position. */
  isJoint(at: number): boolean {
    const { places } = this;
    return places !== undefined && at > 0 && (places[at] ?? 0) - (places[at - 1] ?? 0) !== 1;
  }
}

/** Characters that begin and end a quoted value. */
export const QUOTES = "\"'`";

const NONE: readonly number[] = [];
const [NEWLINE, RETURN, BACKSLASH] = [10, 13, 92];

/**
 * Returns true if a token may begin at the position. No letter, digit or underscore may precede the token, except as
 * the end of an escape sequence.
 */
export function canTokenBeginAt(reading: TextReader, at: number): boolean {
  const { text } = reading;
  const before = text.charCodeAt(at - 1);
  if (at === 0 || !(isAlnum(before) || before === 95)) return true;
  reading.steps += 12;
  if (reading.isJoint(at)) return true;
  const start = text.slice(Math.max(0, at - 12), at);
  return /(?:\\[nrtbfv0]|%[0-9A-Fa-f]{2}|\[[\d;]{0,8}m|\\u[0-9a-f]{4}|\\x[0-9a-f]{2})$/.test(start);
}

/**
 * Returns the position after a line break, also if the line break is spelled `\n` or escaped by a backslash; -1 if
 * there is none.
 */
function afterLineEnd(text: string, from: number): number {
  let at = from;
  if (text.charCodeAt(at) === BACKSLASH && [NEWLINE, RETURN].includes(text.charCodeAt(at + 1))) at += 1;
  const start = at;
  if (text.charCodeAt(at) === RETURN) at += 1;
  if (text.charCodeAt(at) === NEWLINE) at += 1;
  else if (text.charCodeAt(at) === BACKSLASH) at = afterSpelledBreak(text, at);
  return at > start ? at : -1;
}

/** Returns the position after `\n`, `\r\n` or `\\n` as JSON spells line breaks; otherwise `from`. */
function afterSpelledBreak(text: string, from: number): number {
  const spelled = /^(?:\\{1,4}r)?\\{1,4}n/.exec(text.slice(from, from + 10));
  return from + (spelled?.[0].length ?? 0);
}

/** Character set of a run, and the minimum and maximum length of the run. */
export interface CharacterRunRule {
  bit: number;
  least: number;
  most: number;
}

/** Maximum number of line breaks inside a run. */
const MOST_BREAKS = 12;
/**
 * Minimum length of a piece on the next line if the run is already long enough without the piece. To belong to the
 * token, the piece must also look random.
 */
const DRAWN = 12;

/**
 * Reads a run and returns its end, or -1 if the run is too short. The run may continue after a line break. `next` is
 * the text that follows the run in the token.
 */
export function findCharacterRunEnd(reading: TextReader, from: number, run: CharacterRunRule, next: string): number {
  const { bit, least, most } = run;
  let end = Math.min(reading.runEnd(from, bit), from + most);
  let count = end - from;
  for (let breaks = 0; breaks < MOST_BREAKS && count > 0 && count < most; breaks += 1) {
    const piece = nextPiece(reading, end, { run, count, next });
    if (!piece) break;
    count += piece.end - piece.from;
    end = piece.end;
  }
  return count >= least ? end : -1;
}

interface Begun {
  run: CharacterRunRule;
  /** Number of characters read from the run until now. */
  count: number;
  /** Text that follows the run. */
  next: string;
}

/** Returns the piece of a run that stands on the next line; undefined if the run does not continue there. */
function nextPiece(reading: TextReader, from: number, begun: Begun): Stretch | undefined {
  for (const start of reading.lineStarts(from)) {
    const line = reading.lineRun(start, begun.run.bit);
    const piece = { ...line, end: Math.min(line.end, start + begun.run.most - begun.count) };
    if (goesOn(reading, piece, begun)) return piece;
  }
  return undefined;
}

/** Returns true if a piece on the next line belongs to the run before the line break. */
function goesOn(reading: TextReader, { from, end, isDrawn }: Stretch, { run, count, next }: Begun): boolean {
  const { text } = reading;
  reading.steps += 2;
  if (end === from || isInAlphabet(text.charCodeAt(end), run.bit)) return false;
  const total = count + end - from;
  if (next !== "" && text.startsWith(next, end)) return true;
  if (run.least === run.most) return total === run.most || endsLine(text, end);
  if (count < run.least && total >= run.least) return true;
  if (count < run.least) return endsLine(text, end);
  return end - from >= DRAWN && isDrawn === true && !"=:(".includes(text.charAt(end) || " ");
}

const endsLine = (text: string, at: number): boolean => /^(?:\\?\r?\n|\\+n)/.test(text.slice(at, at + 4));

/** Returns true if a text looks random: digits mixed with letters. */
export const looksRandom = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text);
