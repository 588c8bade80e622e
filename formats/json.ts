import { readOwn } from "./own.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const SPACE = 32;
const OPEN = 123; // { and, with bit 5 set, [
const CLOSE = 125;

/** The most that JSON text may hold. */
export interface Extent {
  levels: number;
  values: number;
}

/** The bound that JSON text goes beyond, and the place where the outermost member begins that does. */
export interface Excess {
  bound: keyof Extent;
  member: number;
}

/**
 * Finds JSON text that would take long to parse and to walk. It reads each byte once, without recursion. A body of nothing
 * but members or brackets takes a hundred times as long to parse as one text of the same length. A name and its value
 * count as one. Text that is no JSON may pass: the parser stops at its first fault.
 */
export function excessOf(json: Buffer, { levels, values: most }: Extent): Excess | undefined {
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

/** The next byte that is no space. */
function afterSpaces(json: Buffer, from: number): number {
  let at = from;
  while ((json[at] ?? CLOSE) <= SPACE) at += 1;
  return json[at] ?? CLOSE;
}

/** True for a parsed value that nests deeper than `levels`. Recurses at most that deep. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  const members = value as Record<string, unknown>;
  for (const key in members) {
    const member = readOwn(members, key);
    if (typeof member === "object" && member !== null && isDeeper(member, levels - 1)) return true;
  }
  return false;
}

/** True for a JSON object, not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
