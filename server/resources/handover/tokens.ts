/** Parts of a text as tokenizers cut it: words by their case, digits by three, blanks, anything else by the character. */
const PARTS = /[A-Z]?[a-z]+|[A-Z]+|\d{1,3}|\s+|[\s\S]/gu;
const WORD = /^[A-Z]?[a-z]+$/;
const VOWELS = /[aeiouy]/i;
const CONSONANTS = /[^aeiouy]{4}/i;

/**
 * About how many tokens of a model a text takes, rather too many than too few: the ones that models know are not at hand.
 * A character beyond ASCII counts as many as it has bytes.
 */
export function tokensOf(text: string): number {
  let sum = 0;
  for (const [part] of text.matchAll(PARTS)) sum += costOf(part);
  return sum;
}

function costOf(part: string): number {
  if (part === " ") return 0.3;
  if (/^\s+$/.test(part)) return 1 + part.length / 8;
  if (WORD.test(part)) {
    const likely = VOWELS.test(part) && !CONSONANTS.test(part);
    return Math.ceil(part.length / (likely ? 3 : 1.5));
  }
  if (/^[A-Z]+$/.test(part)) return Math.ceil(part.length * 0.8);
  return part.charCodeAt(0) < 128 ? 1 : Buffer.byteLength(part);
}

const CUT = " […]";

/** The beginning of a text, as many tokens of it as there is room for, with a mark where it is cut. */
export function beginningOf(text: string, room: number): string {
  let left = room - tokensOf(CUT);
  let end = 0;
  for (const [part] of text.matchAll(PARTS)) {
    left -= costOf(part);
    if (left < 0) return tokensOf(text) <= room ? text : `${text.slice(0, end)}${CUT}`;
    end += part.length;
  }
  return text;
}
