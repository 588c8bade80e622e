/** More than a turn of 500 tool calls needs; parsing what is within it takes a few milliseconds. */
export const MAX_VALUES = 65_536;
export const MAX_LEVELS = 64;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OPEN = 123; // { and, with bit 5 set, [
const CLOSE = 125;

/**
 * The bound that JSON text exceeds, as a sentence, found without parsing it. A body of nothing but members or brackets
 * takes a hundred times as long to parse as one text of that length.
 */
export function boundExceeded(json: Buffer): string | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at);
    else if (byte === COMMA) values += 1;
    else if ((byte | 32) === CLOSE) depth -= 1;
    else if ((byte | 32) === OPEN) {
      depth += 1;
      values += 1;
    }
    if (depth > MAX_LEVELS) return `The body nests deeper than ${MAX_LEVELS} levels; flatten it.`;
    if (values > MAX_VALUES) return `The body holds more than ${MAX_VALUES} values; send it in several calls.`;
  }
  return undefined;
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
