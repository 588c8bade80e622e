/** A place in JSON text. A value that was read lies from `start` to `stop`: a string without its quotes. */
export interface Cursor {
  bytes: Buffer;
  /** The same bytes by fours. */
  words: Int32Array;
  at: number;
  start: number;
  stop: number;
  /** Whether the string that was read spells characters as escapes. */
  escaped: boolean;
}

/** What is thrown at JSON that is wrong, or so rare that the careful way may have it. */
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
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const BACKSLASH = 92;
const LOWER_U = 117;

/** What may stand in a string as it is. */
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 32);
PLAIN[QUOTE] = PLAIN[BACKSLASH] = 0;
/** What may follow a backslash, besides u. */
const ESCAPES = new Uint8Array(256);
for (const char of '"\\/bfnrt') ESCAPES[char.charCodeAt(0)] = 1;
const SIGNS = 0x80808080 | 0;
/** Up to so many digits a number keeps its value as a double. */
const EXACT_DIGITS = 15;

const isSpace = (code: number) => code === SPACE || code === 10 || code === 13 || code === 9;
const isDigit = (code: number | undefined) => code !== undefined && code >= ZERO && code <= NINE;

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
export function expect(from: Cursor, code: number): void {
  if (next(from) !== code) giveUp();
  from.at += 1;
}

/** Reads `{` or `[`; answers whether something follows before `close`. */
export function open(from: Cursor, code: number, close: number): boolean {
  expect(from, code);
  if (next(from) !== close) return true;
  from.at += 1;
  return false;
}

/** Reads what follows a member: a comma, or `close`, after which no more comes. */
export function more(from: Cursor, close: number): boolean {
  const code = next(from);
  if (code !== COMMA && code !== close) giveUp();
  from.at += 1;
  return code === COMMA;
}

/** Moves over the colon after a key. */
export const colon = (from: Cursor): void => expect(from, COLON);

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
export function hexUnit(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index += 1) {
    const digit = HEX[bytes[index] ?? 0] ?? 255;
    if (digit > 15) giveUp();
    unit = unit * 16 + digit;
  }
  return unit;
}

/** The value of a hexadecimal digit by its code, 255 for any other byte. */
export const HEX = new Uint8Array(256).fill(255);
for (let digit = 0; digit < 16; digit += 1) {
  const char = digit.toString(16);
  HEX[char.charCodeAt(0)] = HEX[char.toUpperCase().charCodeAt(0)] = digit;
}

/** Reads an integer from 0, of at most fifteen digits. */
export function readInteger(from: Cursor): number {
  const { bytes, at: start } = from;
  let at = start;
  let value = 0;
  for (let code = bytes[at]; code !== undefined && isDigit(code); code = bytes[at]) {
    value = value * 10 + code - ZERO;
    at += 1;
  }
  const digits = at - start;
  if (digits === 0 || digits > EXACT_DIGITS || (digits > 1 && bytes[start] === ZERO)) giveUp();
  from.at = at;
  return value;
}

/** Reads a number whose text is that of its double, so that nothing is lost whoever parses it. */
function readNumber(from: Cursor): void {
  const { bytes, at: start } = from;
  let at = bytes[start] === MINUS ? start + 1 : start;
  const whole = at;
  while (isDigit(bytes[at])) at += 1;
  if (at === whole || (at > whole + 1 && bytes[whole] === ZERO)) giveUp();
  if (bytes[at] === 46) {
    const fraction = at + 1;
    at = fraction;
    while (isDigit(bytes[at])) at += 1;
    if (at === fraction) giveUp();
  }
  from.at = at;
  if (at - whole <= EXACT_DIGITS) return;
  const text = bytes.toString("latin1", start, at);
  if (String(Number(text)) !== text) giveUp();
}

const NULL = Buffer.from("null");
const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");

function readWord(from: Cursor, word: Buffer): void {
  for (const code of word) {
    if (from.bytes[from.at] !== code) giveUp();
    from.at += 1;
  }
}

/** Reads `null`. */
export const readNull = (from: Cursor): void => readWord(from, NULL);

/** Reads `true` or `false`. */
export function readBoolean(from: Cursor): boolean {
  const isTrue = from.bytes[from.at] === TRUE[0];
  readWord(from, isTrue ? TRUE : FALSE);
  return isTrue;
}

/** Looks at a key that was read, of an object on this level, with the cursor at its value. */
export type KeyCheck<From extends Cursor> = (from: From, level: number) => void;

/** Reads any value, which may nest so many levels deep. */
export function readValue<From extends Cursor>(from: From, levels: number, check: KeyCheck<From>, level = 1): void {
  const code = next(from);
  if (level > levels && (code === OPEN_BRACE || code === OPEN_BRACKET)) giveUp();
  if (code === QUOTE) readString(from);
  else if (code === OPEN_BRACE) readMembers(from, levels, check, level);
  else if (code === OPEN_BRACKET) readItems(from, levels, check, level);
  else if (code === NULL[0]) readNull(from);
  else if (code === TRUE[0] || code === FALSE[0]) readBoolean(from);
  else readNumber(from);
}

function readMembers<From extends Cursor>(from: From, levels: number, check: KeyCheck<From>, level: number): void {
  if (!open(from, OPEN_BRACE, CLOSE_BRACE)) return;
  do {
    readString(from);
    colon(from);
    next(from);
    check(from, level);
    readValue(from, levels, check, level + 1);
  } while (more(from, CLOSE_BRACE));
}

function readItems<From extends Cursor>(from: From, levels: number, check: KeyCheck<From>, level: number): void {
  if (!open(from, OPEN_BRACKET, CLOSE_BRACKET)) return;
  do readValue(from, levels, check, level + 1);
  while (more(from, CLOSE_BRACKET));
}
