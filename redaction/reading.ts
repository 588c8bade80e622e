import { afterMark, afterPrefix } from "./prefix.ts";

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
  /** RFC 9110's token68, as credentials of a header are spelled. */
  token68: "0-9A-Za-z._~+/=-",
  /** Base64 in a URL, with its escapes. */
  escaped: "0-9A-Za-z._~%+/=-",
  pad: "=",
} as const;

/** The name of a set. */
export type Alphabet = keyof typeof ALPHABETS;

const NAMES = Object.keys(ALPHABETS) as Alphabet[];
const BITS = new Uint16Array(128);
for (const [bit, name] of NAMES.entries()) {
  const set = new RegExp(`[${ALPHABETS[name]}]`);
  for (let code = 0; code < 128; code += 1)
    if (set.test(String.fromCharCode(code))) BITS[code] = (BITS[code] ?? 0) | (1 << bit);
}

/** The bit of a set. */
export const bitOf = (name: Alphabet): number => 1 << NAMES.indexOf(name);

/** Reports whether a character, by its code, is in the set of a bit. */
export const isIn = (code: number, bit: number): boolean => code < 128 && ((BITS[code] ?? 0) & bit) !== 0;

const ALNUM = bitOf("alnum");
/** Reports whether a character is an ASCII letter or digit. */
export const isAlnum = (code: number): boolean => isIn(code, ALNUM);

/** The longest run of a set of characters around a place, and whether it looks drawn by chance. */
interface Stretch {
  from: number;
  end: number;
  isDrawn: boolean | undefined;
}

/**
 * A text that is read, and the steps that this took: characters looked at, and what else was done a bounded number of times. It
 * remembers where runs of characters end, so that no run is read again from each place within it.
 */
export class Reading {
  steps = 0;
  readonly text: string;
  /** The place in the sent text of each character, where some characters were left out or put for others. */
  readonly places: Uint32Array | undefined;
  /** By the bit of a set: its last run behind a literal. */
  #last: Map<number, Stretch> | undefined;
  /** By place and set: runs at the beginnings of lines. */
  #lines: Map<number, Stretch> | undefined;
  #starts: Map<number, readonly number[]> | undefined;

  constructor(text: string, places?: Uint32Array) {
    this.text = text;
    this.places = places;
  }

  /** The end of the run of a set that goes through this place. */
  runEnd(from: number, bit: number): number {
    const last = this.#last?.get(bit);
    this.steps += 1;
    if (last && from >= last.from && from < last.end) return last.end;
    const end = this.#read(from, bit);
    this.#last ??= new Map();
    this.#last.set(bit, { from, end, isDrawn: undefined });
    return end;
  }

  /** The run of a set that begins a line, behind the line's prefix. */
  lineRun(from: number, bit: number): Stretch {
    const key = from * 32 + (31 - Math.clz32(bit));
    const known = this.#lines?.get(key);
    this.steps += 1;
    if (known) return known;
    const end = this.#read(from, bit);
    const run = { from, end, isDrawn: isDrawn(this.text.slice(from, end)) };
    this.steps += end - from;
    this.#lines ??= new Map();
    this.#lines.set(key, run);
    return run;
  }

  #read(from: number, bit: number): number {
    const { text } = this;
    let end = from;
    while (isIn(text.charCodeAt(end), bit)) end += 1;
    this.steps += end - from + 1;
    return end;
  }

  /**
   * The places after a line break at which the text may go on: behind a mark of a diff and blanks, and behind all that tools put at the
   * beginning of a line. None where no line ends here.
   */
  lineStarts(from: number): readonly number[] {
    const code = this.text.charCodeAt(from);
    if (code !== NEWLINE && code !== RETURN && code !== BACKSLASH) return NONE;
    const known = this.#starts?.get(from);
    this.steps += 1;
    if (known) return known;
    const line = afterLineEnd(this.text, from);
    const [simple, full] = line < 0 ? [-1, -1] : [afterMark(this.text, line), afterPrefix(this.text, line)];
    const starts = line < 0 ? NONE : full === simple ? [simple] : [simple, full];
    this.steps += 8 + Math.max(0, full - from) + Math.max(0, simple - from);
    this.#starts ??= new Map();
    this.#starts.set(from, starts);
    return starts;
  }

  /** Reports whether a character was left out or put for others right before this place. */
  isJoint(at: number): boolean {
    const { places } = this;
    return places !== undefined && at > 0 && (places[at] ?? 0) - (places[at - 1] ?? 0) !== 1;
  }
}

/** The characters that begin and end a quoted value. */
export const QUOTES = "\"'`";

const NONE: readonly number[] = [];
const [NEWLINE, RETURN, BACKSLASH] = [10, 13, 92];

/** Reports whether a token may begin here: after no letter or digit, but for those that end an escape. */
export function beginsAt(reading: Reading, at: number): boolean {
  const { text } = reading;
  const before = text.charCodeAt(at - 1);
  if (at === 0 || !(isAlnum(before) || before === 95)) return true;
  reading.steps += 12;
  if (reading.isJoint(at)) return true;
  const start = text.slice(Math.max(0, at - 12), at);
  return /(?:\\[nrtbfv0]|%[0-9A-Fa-f]{2}|\[[\d;]{0,8}m|\\u[0-9a-f]{4}|\\x[0-9a-f]{2})$/.test(start);
}

/** The place after a line break, also one that is spelled `\n` or escaped by a backslash; -1 where there is none. */
function afterLineEnd(text: string, from: number): number {
  let at = from;
  if (text.charCodeAt(at) === BACKSLASH && [NEWLINE, RETURN].includes(text.charCodeAt(at + 1))) at += 1;
  const start = at;
  if (text.charCodeAt(at) === RETURN) at += 1;
  if (text.charCodeAt(at) === NEWLINE) at += 1;
  else if (text.charCodeAt(at) === BACKSLASH) at = afterSpelledBreak(text, at);
  return at > start ? at : -1;
}

/** After `\n`, `\r\n` or `\\n` as JSON spells them, or where it was. */
function afterSpelledBreak(text: string, from: number): number {
  const spelled = /^(?:\\{1,4}r)?\\{1,4}n/.exec(text.slice(from, from + 10));
  return from + (spelled?.[0].length ?? 0);
}

/** So many characters of a set. */
export interface Run {
  bit: number;
  least: number;
  most: number;
}

/** Lines that a run goes on over. */
const MOST_BREAKS = 12;
/** A piece on another line that is not needed belongs to the token when it is as long and looks drawn. */
const DRAWN = 12;

/** Reads a run, over line breaks where more of it has to follow. Returns its end, or -1. `next` is the text that follows it. */
export function readRun(reading: Reading, from: number, run: Run, next: string): number {
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
  run: Run;
  /** The characters so far. */
  count: number;
  /** The text that follows the run. */
  next: string;
}

/** The piece of a run on the line after this place. */
function nextPiece(reading: Reading, from: number, begun: Begun): Stretch | undefined {
  for (const start of reading.lineStarts(from)) {
    const line = reading.lineRun(start, begun.run.bit);
    const piece = { ...line, end: Math.min(line.end, start + begun.run.most - begun.count) };
    if (goesOn(reading, piece, begun)) return piece;
  }
  return undefined;
}

/** Reports whether a piece on the next line is a part of the run before. */
function goesOn(reading: Reading, { from, end, isDrawn }: Stretch, { run, count, next }: Begun): boolean {
  const { text } = reading;
  reading.steps += 2;
  if (end === from || isIn(text.charCodeAt(end), run.bit)) return false;
  const total = count + end - from;
  if (next !== "" && text.startsWith(next, end)) return true;
  if (run.least === run.most) return total === run.most || endsLine(text, end);
  if (count < run.least && total >= run.least) return true;
  if (count < run.least) return endsLine(text, end);
  return end - from >= DRAWN && isDrawn === true && !"=:(".includes(text.charAt(end) || " ");
}

const endsLine = (text: string, at: number): boolean => /^(?:\\?\r?\n|\\+n)/.test(text.slice(at, at + 4));

/** Reports whether a text looks drawn by chance: digits among letters. */
export const isDrawn = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text);
