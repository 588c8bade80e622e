import { MAX_BODY_VALUES } from "../rules/bounds.ts";
import type { MetadataRedaction } from "../rules/redaction.ts";
import { HEX_DIGIT_VALUES } from "../tuple/index.ts";

/**
 * Position while reading a body. The value that was read last is between `start` and `stop`; for a string, the quotes
 * are not included.
 */
export interface JsonCursor {
  bytes: Buffer;
  /** Same bytes as 32-bit integers. */
  words: Int32Array;
  at: number;
  /** Number of values in objects and lists whose reading has begun. */
  values: number;
  start: number;
  stop: number;
  /** True if the last string contains escapes. */
  escaped: boolean;
  /** Names of metadata members whose values must be redacted. */
  redaction: MetadataRedaction;
}

/**
 * Error for a body that the fast reader cannot read: invalid JSON, or valid but rare JSON. The careful reader then
 * reads the whole body.
 */
export const NOT_PLAIN_JSON_ERROR = new Error("not plain");

/** @throws NOT_PLAIN_JSON_ERROR */
export const throwNotPlainJson = (): never => {
  throw NOT_PLAIN_JSON_ERROR;
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
export function skipToValue(from: JsonCursor): number {
  const { bytes } = from;
  let code = bytes[from.at] ?? 0;
  while (code <= SPACE && isSpace(code)) {
    from.at += 1;
    code = bytes[from.at] ?? 0;
  }
  return code;
}

/** Reads the given byte, after white space. Gives up if another byte follows. */
function expect(from: JsonCursor, code: number): void {
  if (skipToValue(from) !== code) throwNotPlainJson();
  from.at += 1;
}

/** Reads `{` or `[`. Returns true if a value follows. If `close` follows directly, reads `close` and returns false. */
export function openContainer(from: JsonCursor, code: number, close: number): boolean {
  expect(from, code);
  if (skipToValue(from) !== close) return began(from);
  from.at += 1;
  return false;
}

/** Consumes the comma or `close` after a member. Returns true after a comma. */
export function hasMoreMembers(from: JsonCursor, close: number): boolean {
  const code = skipToValue(from);
  if (code !== COMMA && code !== close) throwNotPlainJson();
  from.at += 1;
  return code === COMMA && began(from);
}

/** Counts a value. Gives up if there are too many values; the careful reader then reports the error. */
function began(from: JsonCursor): true {
  from.values += 1;
  if (from.values >= MAX_BODY_VALUES) throwNotPlainJson();
  return true;
}

/** Consumes the colon after a name. */
export const skipColon = (from: JsonCursor): void => expect(from, COLON);

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
export function scanString(from: JsonCursor): void {
  expect(from, QUOTE);
  const { bytes, words } = from;
  let { at } = from;
  from.start = at;
  from.escaped = false;
  for (;;) {
    at = overPlain(bytes, words, at);
    if (bytes[at] === QUOTE) break;
    if (bytes[at] !== BACKSLASH) throwNotPlainJson();
    at = afterEscape(bytes, at + 1);
    from.escaped = true;
  }
  from.stop = at;
  from.at = at + 1;
}

/**
 * Skips ordinary characters, four bytes at a time. For each byte, the calculation sets the sign bit if the byte is a
 * quote, a backslash or a control character. XOR turns quotes and backslashes into zero bytes, which subtracting 1
 * detects; subtracting 32 detects control characters.
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
  if (code !== LOWER_U) throwNotPlainJson();
  const unit = hexUnit(bytes, at + 1);
  if (unit === 0) throwNotPlainJson();
  if (unit < 0xd800 || unit > 0xdfff) return at + 5;
  if (unit > 0xdbff || bytes[at + 5] !== BACKSLASH || bytes[at + 6] !== LOWER_U) throwNotPlainJson();
  const low = hexUnit(bytes, at + 7);
  if (low < 0xdc00 || low > 0xdfff) throwNotPlainJson();
  return at + 11;
}

/** Returns the value of four hexadecimal digits. */
function hexUnit(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index += 1) {
    const digit = HEX_DIGIT_VALUES[bytes[index] ?? 0] ?? 255;
    if (digit > 15) throwNotPlainJson();
    unit = unit * 16 + digit;
  }
  return unit;
}
