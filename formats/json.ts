import { getOwnProperty } from "./own.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const SPACE = 32;
const OPEN = 123; // Character code of `{`. Code 91 (`[`) becomes 123 when bit 5 is set.
const CLOSE = 125;

const BYTE_ORDER_MARK = "\uFEFF";

/** Removes the byte order mark that some editors write at the start of a file. */
export const removeByteOrderMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);

/** Parses the content of a JSON file. @throws SyntaxError */
export const parseJsonFile = (text: string): unknown => JSON.parse(removeByteOrderMark(text));

/** Maximum nesting depth and number of values of JSON text. */
export interface JsonLimits {
  levels: number;
  values: number;
}

/**
 * The limit that JSON text exceeds, and the byte offset of the top-level member in which the text exceeds the limit.
 */
export interface ExceededLimit {
  bound: keyof JsonLimits;
  member: number;
}

/**
 * Returns the first limit that JSON text exceeds; undefined if there is none. JSON with many values or brackets takes
 * long to parse and traverse: up to a hundred times as long as one string of equal length. The check reads each byte
 * once, without recursion, and counts a member's name and value as one value. Invalid JSON may pass the check, because
 * the parser stops at the first syntax error.
 */
export function findExceededJsonLimit(json: Buffer, { levels, values: most }: JsonLimits): ExceededLimit | undefined {
  let depth = 0;
  let values = 1;
  let member = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at);
    else if ((byte | 32) === OPEN) {
      depth += 1;
      if (depth > levels) return { bound: "levels", member };
      if (depth === 1) member = at + 1;
      if ((afterSpaces(json, at + 1) | 32) !== CLOSE) values += 1;
    } else if ((byte | 32) === CLOSE) depth -= 1;
    else if (byte === COMMA) {
      values += 1;
      if (depth === 1) member = at + 1;
    }
    if (values > most) return { bound: "values", member };
  }
  return undefined;
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Returns the next byte that is not whitespace. */
function afterSpaces(json: Buffer, from: number): number {
  let at = from;
  while ((json[at] ?? CLOSE) <= SPACE) at += 1;
  return json[at] ?? CLOSE;
}

/** Returns true if a parsed value is nested deeper than `levels`. The recursion stops after `levels` levels. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  const members = value as Record<string, unknown>;
  for (const key in members) {
    const member = getOwnProperty(members, key);
    if (typeof member === "object" && member !== null && isDeeper(member, levels - 1)) return true;
  }
  return false;
}

/** Returns true for a JSON object. Arrays are not JSON objects. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
