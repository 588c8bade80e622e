import { MAX_VALUES } from "../rules/bounds.ts";
import type { Redaction } from "../rules/redaction.ts";
import { HEX } from "../tuple/index.ts";

/** A place in a body. A value that was read lies from `start` to `stop`: a string without its quotes. */
export interface Cursor {
  bytes: Buffer;
  /** The same bytes by fours. */
  words: Int32Array;
  at: number;
  /** The number of values of objects and lists that have begun. */
  values: number;
  start: number;
  stop: number;
  /** True when the string that was read spells characters as escapes. */
  escaped: boolean;
  /** The keys that metadata may not hold. */
  redaction: Redaction;
}

/** Thrown at JSON that is wrong, or so rare that the careful reader takes it. */
export const NOT_PLAIN = new Error("not plain");

/** @throws NOT_PLAIN */
export const giveUp = (): never => {
  throw NOT_PLAIN;
};

export const QUOTE = 34;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
export const OPEN_BRACKET = 91;
export const CLOSE_BRACKET = 93;
const SPACE = 32;
const COLON = 58;
const COMMA = 44;

const isSpace = (code: number) => code === SPACE || code === 10 || code === 13 || code === 9;

/** Moves to the next value and answers its first byte; 0 at the end. */
export function next(from: Cursor): number {
  const { bytes } = from;
  let code = bytes[from.at] ?? 0;
  while (code <= SPACE && isSpace(code)) {
    from.at += 1;
    code = bytes[from.at] ?? 0;
  }
  return code;
}

/** Moves over this byte, which must come next. */
function expect(from: Cursor, code: number): void {
  if (next(from) !== code) giveUp();
  from.at += 1;
}

/** Reads `{` or `[`; answers whether something follows before `close`. */
export function open(from: Cursor, code: number, close: number): boolean {
  expect(from, code);
  if (next(from) !== close) return began(from);
  from.at += 1;
  return false;
}

/** Reads what follows a member: a comma, or `close`, after which no more comes. */
export function more(from: Cursor, close: number): boolean {
  const code = next(from);
  if (code !== COMMA && code !== close) giveUp();
  from.at += 1;
  return code === COMMA && began(from);
}

/** Counts a value; the careful way tells what there is too much of. */
function began(from: Cursor): true {
  from.values += 1;
  if (from.values >= MAX_VALUES) giveUp();
  return true;
}

/** Moves over the colon after a key. */
export const colon = (from: Cursor): void => expect(from, COLON);

const BACKSLASH = 92;
const LOWER_U = 117;
const SIGNS = 0x80808080 | 0;

/** Bytes that may stand in a string unescaped. */
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 32);
PLAIN[QUOTE] = PLAIN[BACKSLASH] = 0;

/** Characters that stand behind a backslash, besides u. */
const ESCAPES = new Uint8Array(256);
for (const char of '"\\/bfnrt') ESCAPES[char.charCodeAt(0)] = 1;

/** Reads a string, of which the cursor tells where it lies. */
export function readString(from: Cursor): void {
  expect(from, QUOTE);
  const { bytes, words } = from;
  let { at } = from;
  from.start = at;
  from.escaped = false;
  for (;;) {
    at = overPlain(bytes, words, at);
    if (bytes[at] === QUOTE) break;
    if (bytes[at] !== BACKSLASH) giveUp();
    at = afterEscape(bytes, at + 1);
    from.escaped = true;
  }
  from.stop = at;
  from.at = at + 1;
}

/**
 * Moves over characters that stand for themselves, four at a time: a zero byte in the word shows as its sign bit after
 * 1 is subtracted, and so do quotes and backslashes once they are made zero, and control characters after 32 is.
 */
function overPlain(bytes: Buffer, words: Int32Array, from: number): number {
  let at = from;
  while ((at & 3) !== 0 && PLAIN[bytes[at] ?? 0] === 1) at += 1;
  if ((at & 3) !== 0) return at;
  let index = at >> 2;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? 0;
    const quote = word ^ 0x22222222;
    const backslash = word ^ 0x5c5c5c5c;
    const special =
      ((word - 0x20202020) & ~word) | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash);
    if ((special & SIGNS) !== 0) break;
  }
  at = index << 2;
  while (PLAIN[bytes[at] ?? 0] === 1) at += 1;
  return at;
}

function afterEscape(bytes: Buffer, at: number): number {
  const code = bytes[at] ?? 0;
  if (ESCAPES[code] === 1) return at + 1;
  if (code !== LOWER_U) giveUp();
  const unit = hexUnit(bytes, at + 1);
  if (unit === 0) giveUp();
  if (unit < 0xd800 || unit > 0xdfff) return at + 5;
  if (unit > 0xdbff || bytes[at + 5] !== BACKSLASH || bytes[at + 6] !== LOWER_U) giveUp();
  const low = hexUnit(bytes, at + 7);
  if (low < 0xdc00 || low > 0xdfff) giveUp();
  return at + 11;
}

/** The value of four hexadecimal digits. */
function hexUnit(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index += 1) {
    const digit = HEX[bytes[index] ?? 0] ?? 255;
    if (digit > 15) giveUp();
    unit = unit * 16 + digit;
  }
  return unit;
}
