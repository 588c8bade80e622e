const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OPEN = 123; // { and, with bit 5 set, [
const CLOSE = 125;

/** Whether JSON text nests deeper than `levels` or has more than about `values` values; parsing those takes long. */
export function exceeds(json: Buffer, levels: number, values: number): boolean {
  let depth = 0;
  let seen = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at);
    else if ((byte | 32) === OPEN) {
      depth += 1;
      seen += 1;
      if (depth > levels || seen > values) return true;
    } else if ((byte | 32) === CLOSE) depth -= 1;
    else if (byte === COMMA) seen += 1;
  }
  return seen > values;
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Whether a parsed value nests deeper than `levels`. Recurses at most that deep. */
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
