import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  type Cursor,
  giveUp,
  hasMoreMembers,
  OPEN_BRACE,
  OPEN_BRACKET,
  openContainer,
  QUOTE,
  readString,
  skipColon,
  skipToValue,
} from "./cursor.ts";

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
/** A double represents a number of up to this many digits exactly. */
const EXACT_DIGITS = 15;

export const isDigit = (code: number | undefined) => code !== undefined && code >= ZERO && code <= NINE;

/** Reads a non-negative integer of at most fifteen digits. */
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

/** Reads a number only if its text equals the text of its double, so that no parser loses digits. */
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

export const readNull = (from: Cursor): void => readWord(from, NULL);

export function readBoolean(from: Cursor): boolean {
  const isTrue = from.bytes[from.at] === TRUE[0];
  readWord(from, isTrue ? TRUE : FALSE);
  return isTrue;
}

/** Checks the name of a member at the given level. The cursor is at the member's value. */
export type KeyCheck = (from: Cursor, level: number) => void;

/** Reads any value with at most `levels` levels of nesting. */
export function readValue(from: Cursor, levels: number, check: KeyCheck, level = 1): void {
  const code = skipToValue(from);
  if (level > levels && (code === OPEN_BRACE || code === OPEN_BRACKET)) giveUp();
  if (code === QUOTE) readString(from);
  else if (code === OPEN_BRACE) readMembers(from, levels, check, level);
  else if (code === OPEN_BRACKET) readItems(from, levels, check, level);
  else if (code === NULL[0]) readNull(from);
  else if (code === TRUE[0] || code === FALSE[0]) readBoolean(from);
  else readNumber(from);
}

function readMembers(from: Cursor, levels: number, check: KeyCheck, level: number): void {
  if (!openContainer(from, OPEN_BRACE, CLOSE_BRACE)) return;
  do {
    readString(from);
    skipColon(from);
    skipToValue(from);
    check(from, level);
    readValue(from, levels, check, level + 1);
  } while (hasMoreMembers(from, CLOSE_BRACE));
}

function readItems(from: Cursor, levels: number, check: KeyCheck, level: number): void {
  if (!openContainer(from, OPEN_BRACKET, CLOSE_BRACKET)) return;
  do readValue(from, levels, check, level + 1);
  while (hasMoreMembers(from, CLOSE_BRACKET));
}
