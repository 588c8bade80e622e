import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  hasMoreMembers,
  type JsonCursor,
  OPEN_BRACE,
  OPEN_BRACKET,
  openContainer,
  QUOTE,
  scanString,
  skipColon,
  skipToValue,
  throwNotPlainJson,
} from "./cursor.ts";

const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
/** Maximum number of decimal digits of a number that a double always represents without loss. */
const EXACT_DIGITS = 15;

export const isDigit = (code: number | undefined) => code !== undefined && code >= ZERO && code <= NINE;

/** Reads a non-negative integer of at most fifteen digits. */
export function scanInteger(from: JsonCursor): number {
  const { bytes, at: start } = from;
  let at = start;
  let value = 0;
  for (let code = bytes[at]; code !== undefined && isDigit(code); code = bytes[at]) {
    value = value * 10 + code - ZERO;
    at += 1;
  }
  const digits = at - start;
  if (digits === 0 || digits > EXACT_DIGITS || (digits > 1 && bytes[start] === ZERO)) throwNotPlainJson();
  from.at = at;
  return value;
}

/**
 * Reads a number. Gives up if the number has more than EXACT_DIGITS characters and converting it to a double and back
 * changes its text, because digits would then be lost.
 */
function readNumber(from: JsonCursor): void {
  const { bytes, at: start } = from;
  let at = bytes[start] === MINUS ? start + 1 : start;
  const whole = at;
  while (isDigit(bytes[at])) at += 1;
  if (at === whole || (at > whole + 1 && bytes[whole] === ZERO)) throwNotPlainJson();
  if (bytes[at] === POINT) {
    const fraction = at + 1;
    at = fraction;
    while (isDigit(bytes[at])) at += 1;
    if (at === fraction) throwNotPlainJson();
  }
  from.at = at;
  if (at - whole <= EXACT_DIGITS) return;
  const text = bytes.toString("latin1", start, at);
  if (String(Number(text)) !== text) throwNotPlainJson();
}

const NULL = Buffer.from("null");
const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");

function readWord(from: JsonCursor, word: Buffer): void {
  for (const code of word) {
    if (from.bytes[from.at] !== code) throwNotPlainJson();
    from.at += 1;
  }
}

export const scanNull = (from: JsonCursor): void => readWord(from, NULL);

export function scanBoolean(from: JsonCursor): boolean {
  const isTrue = from.bytes[from.at] === TRUE[0];
  readWord(from, isTrue ? TRUE : FALSE);
  return isTrue;
}

/**
 * Checks the name of a property. `level` is the nesting level of the object that contains the property. The cursor is
 * at the value of the property.
 */
export type MemberNameCheck = (from: JsonCursor, level: number) => void;

/** Reads any value with at most `levels` levels of nesting. */
export function scanValue(from: JsonCursor, levels: number, check: MemberNameCheck, level = 1): void {
  const code = skipToValue(from);
  if (level > levels && (code === OPEN_BRACE || code === OPEN_BRACKET)) throwNotPlainJson();
  if (code === QUOTE) scanString(from);
  else if (code === OPEN_BRACE) readMembers(from, levels, check, level);
  else if (code === OPEN_BRACKET) readItems(from, levels, check, level);
  else if (code === NULL[0]) scanNull(from);
  else if (code === TRUE[0] || code === FALSE[0]) scanBoolean(from);
  else readNumber(from);
}

function readMembers(from: JsonCursor, levels: number, check: MemberNameCheck, level: number): void {
  if (!openContainer(from, OPEN_BRACE, CLOSE_BRACE)) return;
  do {
    scanString(from);
    skipColon(from);
    skipToValue(from);
    check(from, level);
    scanValue(from, levels, check, level + 1);
  } while (hasMoreMembers(from, CLOSE_BRACE));
}

function readItems(from: JsonCursor, levels: number, check: MemberNameCheck, level: number): void {
  if (!openContainer(from, OPEN_BRACKET, CLOSE_BRACKET)) return;
  do scanValue(from, levels, check, level + 1);
  while (hasMoreMembers(from, CLOSE_BRACKET));
}
