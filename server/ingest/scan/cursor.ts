import { MAX_VALUES } from "../rules/bounds.ts";

/** A place in JSON text. A value that was read lies from `start` to `stop`: a string without its quotes. */
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
export function expect(from: Cursor, code: number): void {
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
