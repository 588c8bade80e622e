import { MAX_VALUES } from "../rules/bounds.ts";
import type { Redaction } from "../rules/redaction.ts";
import { HEX } from "../tuple/index.ts";

/** Position in a body. The last value read lies between `start` and `stop`; for a string, without its quotes. */
export interface Cursor {
  bytes: Buffer;
  /** Same bytes as 32-bit integers. */
  words: Int32Array;
  at: number;
  /** Number of values of objects and lists that have begun. */
  values: number;
  start: number;
  stop: number;
  /** True if the last string contains escapes. */
  escaped: boolean;
  /** Names of metadata members whose values must be redacted. */
  redaction: Redaction;
}

/** Thrown for invalid JSON, and for rare JSON that only the careful reader handles. */
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

/** Moves to the next value and returns its first byte; 0 at the end. */
export function skipToValue(from: Cursor): number {
  const { bytes } = from;
  let code = bytes[from.at] ?? 0;
  while (code <= SPACE && isSpace(code)) {
    from.at += 1;
    code = bytes[from.at] ?? 0;
  }
  return code;
}

/** Consumes the given byte, which must come next. */
function expect(from: Cursor, code: number): void {
  if (skipToValue(from) !== code) giveUp();
  from.at += 1;
}

/** Consumes `{` or `[`. Returns true if a value follows before `close`. */
export function openContainer(from: Cursor, code: number, close: number): boolean {
  expect(from, code);
  if (skipToValue(from) !== close) return began(from);
  from.at += 1;
  return false;
}

/** Consumes the comma or `close` after a member. Returns true after a comma. */
export function hasMoreMembers(from: Cursor, close: number): boolean {
  const code = skipToValue(from);
  if (code !== COMMA && code !== close) giveUp();
  from.at += 1;
  return code === COMMA && began(from);
}

/** Counts a value. Over the limit, the careful reader reports the error. */
function began(from: Cursor): true {
  from.values += 1;
  if (from.values >= MAX_VALUES) giveUp();
  return true;
}

/** Consumes the colon after a name. */
export const skipColon = (from: Cursor): void => expect(from, COLON);

const BACKSLASH = 92;
const LOWER_U = 117;
const SIGNS = 0x80808080 | 0;

const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 32);
PLAIN[QUOTE] = PLAIN[BACKSLASH] = 0;

/** Characters that may follow a backslash, except u. */
const ESCAPES = new Uint8Array(256);
for (const char of '"\\/bfnrt') ESCAPES[char.charCodeAt(0)] = 1;

/** Reads a string and stores its position in the cursor. */
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
 * Skips ordinary characters, four at a time. Each comparison sets the sign bit of a byte: subtracting 1 detects a zero
 * byte. XOR turns quotes and backslashes into zero bytes, and subtracting 32 detects control characters.
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

/** Returns the value of four hexadecimal digits. */
function hexUnit(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index += 1) {
    const digit = HEX[bytes[index] ?? 0] ?? 255;
    if (digit > 15) giveUp();
    unit = unit * 16 + digit;
  }
  return unit;
}
