import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  type Cursor,
  colon,
  giveUp,
  more,
  next,
  OPEN_BRACE,
  OPEN_BRACKET,
  open,
  QUOTE,
  readString,
} from "./cursor.ts";

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
/** Up to so many digits a number keeps its value as a double. */
const EXACT_DIGITS = 15;

/** True for a byte that is a digit. */
export const isDigit = (code: number | undefined) => code !== undefined && code >= ZERO && code <= NINE;

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
  if (bytes[at] === POINT) {
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
export type KeyCheck = (from: Cursor, level: number) => void;

/** Reads any value, which may nest so many levels deep. */
export function readValue(from: Cursor, levels: number, check: KeyCheck, level = 1): void {
  const code = next(from);
  if (level > levels && (code === OPEN_BRACE || code === OPEN_BRACKET)) giveUp();
  if (code === QUOTE) readString(from);
  else if (code === OPEN_BRACE) readMembers(from, levels, check, level);
  else if (code === OPEN_BRACKET) readItems(from, levels, check, level);
  else if (code === NULL[0]) readNull(from);
  else if (code === TRUE[0] || code === FALSE[0]) readBoolean(from);
  else readNumber(from);
}

function readMembers(from: Cursor, levels: number, check: KeyCheck, level: number): void {
  if (!open(from, OPEN_BRACE, CLOSE_BRACE)) return;
  do {
    readString(from);
    colon(from);
    next(from);
    check(from, level);
    readValue(from, levels, check, level + 1);
  } while (more(from, CLOSE_BRACE));
}

function readItems(from: Cursor, levels: number, check: KeyCheck, level: number): void {
  if (!open(from, OPEN_BRACKET, CLOSE_BRACKET)) return;
  do readValue(from, levels, check, level + 1);
  while (more(from, CLOSE_BRACKET));
}
