const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const SPACE = 32;
const OPEN = 123; // { and, with bit 5 set, [
const CLOSE = 125;

/** The bounds of a JSON text: levels of nesting, and values. */
export interface Extent {
  levels: number;
  values: number;
}

/** The bound that a text exceeds, and the place before the member of the root in which it does. */
export interface Excess {
  bound: keyof Extent;
  member: number;
}

/**
 * Finds the bound that JSON text exceeds, by reading every byte without recursion: text of nothing but members or
 * brackets takes a hundred times as long to parse as one string of the same length. A name and its value are one value.
 * Text that is no JSON may pass: the parser stops where it begins to be wrong.
 */
export function excessOf(json: Buffer, { levels, values }: Extent): Excess | undefined {
  let depth = 0;
  let seen = 1;
  let member = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at);
    else if ((byte | 32) === OPEN) {
      depth += 1;
      if (depth > levels) return { bound: "levels", member };
      if (depth === 1) member = at;
      if ((afterSpaces(json, at + 1) | 32) !== CLOSE) seen += 1;
    } else if ((byte | 32) === CLOSE) depth -= 1;
    else if (byte === COMMA) {
      seen += 1;
      if (depth === 1) member = at;
    }
    if (seen > values) return { bound: "values", member };
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

/** Tells whether a parsed value nests deeper than `levels`. It recurses at most that deep. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  const members = value as Record<string, unknown>;
  for (const key in members) {
    const member = members[key];
    if (typeof member === "object" && member !== null && isDeeper(member, levels - 1)) return true;
  }
  return false;
}
