/** Sets of ASCII characters, one bit each. */
const ALPHABETS = {
  digit: "0-9",
  hex: "0-9a-f",
  base32: "A-Z2-7",
  upper: "A-Z0-9",
  alnum: "0-9A-Za-z",
  word: "0-9A-Za-z_-",
  base64: "0-9A-Za-z+/",
  /** RFC 9110's token68, as credentials of a header are spelled. */
  token68: "0-9A-Za-z._~+/=-",
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

/** A text that is read, and the number of characters that were looked at. */
export interface Reading {
  text: string;
  steps: number;
}

/** The characters that begin and end a quoted value. */
export const QUOTES = "\"'`";

const [NEWLINE, RETURN, BACKSLASH, SPACE, TAB] = [10, 13, 92, 32, 9];
const isBlank = (code: number) => code === SPACE || code === TAB;

/** Reports whether a token may begin here: after no letter or digit, but for those that end an escape. */
export function beginsAt({ text }: Reading, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (at === 0 || !(isAlnum(before) || before === 95)) return true;
  const start = text.slice(Math.max(0, at - 12), at);
  return /(?:\\[nrtbfv0]|%[0-9A-Fa-f]{2}|\[[\d;]{0,8}m|\\u[0-9a-f]{4}|\\x[0-9a-f]{2})$/.test(start);
}

/** The place after a line break, and after what diffs, quotations and indentation put behind it; -1 where none is. */
export function afterBreak(reading: Reading, from: number): number {
  const { text } = reading;
  let at = from;
  if (text.charCodeAt(at) === BACKSLASH && [NEWLINE, RETURN].includes(text.charCodeAt(at + 1))) at += 1;
  const start = at;
  if (text.charCodeAt(at) === RETURN) at += 1;
  if (text.charCodeAt(at) === NEWLINE) at += 1;
  else if (text.charCodeAt(at) === BACKSLASH) at = afterSpelledBreak(text, at);
  if (at <= start) return -1;
  if ("+->|".includes(text.charAt(at)) && text.charAt(at) !== "") at += 1;
  const most = at + 24;
  while (at < most && isBlank(text.charCodeAt(at))) at += 1;
  reading.steps += at - from;
  return at;
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

/** Reads a run, over line breaks where more of it has to follow. Answers its end, or -1. `next` is the text that follows it. */
export function readRun(reading: Reading, from: number, run: Run, next: string): number {
  const { bit, least, most } = run;
  let end = plainEnd(reading, from, bit, most);
  let count = end - from;
  for (let breaks = 0; breaks < MOST_BREAKS && count > 0 && count < most; breaks += 1) {
    const start = afterBreak(reading, end);
    if (start < 0) break;
    const stop = plainEnd(reading, start, bit, most - count);
    if (!goesOn(reading, { start, stop }, { run, count, next })) break;
    count += stop - start;
    end = stop;
  }
  return count >= least ? end : -1;
}

function plainEnd(reading: Reading, from: number, bit: number, most: number): number {
  const { text } = reading;
  const last = Math.min(text.length, from + most);
  let at = from;
  while (at < last && isIn(text.charCodeAt(at), bit)) at += 1;
  reading.steps += at - from + 1;
  return at;
}

/** Reports whether a piece on the next line is a part of the run before. */
function goesOn(
  { text }: Reading,
  { start, stop }: { start: number; stop: number },
  { run, count, next }: { run: Run; count: number; next: string },
): boolean {
  if (stop === start || isIn(text.charCodeAt(stop), run.bit)) return false;
  const total = count + stop - start;
  if (next !== "" && text.startsWith(next, stop)) return true;
  if (run.least === run.most) return total === run.most || endsLine(text, stop);
  if (count < run.least && total >= run.least) return true;
  const piece = text.slice(start, stop);
  if (count < run.least) return endsLine(text, stop);
  return piece.length >= DRAWN && isDrawn(piece) && !"=:(".includes(text.charAt(stop) || " ");
}

const endsLine = (text: string, at: number): boolean => /^(?:\\?\r?\n|\\+n)/.test(text.slice(at, at + 4));

/** Reports whether a text looks drawn by chance: digits among letters. */
export const isDrawn = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text);
