import { HARMLESS_NAME_PATTERN, isPlaceholder } from "./rules.ts";
import type { FoundSecret } from "./token.ts";

/** Steps that the entropy search takes per character. */
export const ENTROPY_STEPS_PER_CHARACTER = 2;

/**
 * Matches names that announce a secret, in any case. Each name contains one of the words in `SECRET_NAME_LITERALS`, so the
 * trigger search finds the name.
 */
const TELLING = /(?:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private)[-_]?key|credential)[\w.-]{0,32}/;
const BETWEEN = /["'`\]\\]{0,6}[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}["'`\\]{0,4}/;
const VALUE = /[\w+/=.~!@#$%^&*-]{20,256}/;
const BESIDE = new RegExp(`(${TELLING.source})${BETWEEN.source}(${VALUE.source})`, "gi");
const [WHOLE_NAME, WHOLE_VALUE] = [new RegExp(TELLING.source, "i"), new RegExp(`^${VALUE.source}$`)];

/**
 * Minimum entropy of a random value, in bits per character. Words of a natural language have a lower entropy. A value
 * of 20 random characters from a set of 64 rarely has a lower entropy.
 */
const LEAST_BITS = 3.9;

/** Finds values that look random and follow a name that announces a secret, in text of any format. */
export function findRandomLookingSecrets(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { index, 0: all, 1: name = "", 2: value = "" } of text.matchAll(BESIDE)) {
    const end = index + all.length;
    if (isRandom(name, value)) found.push({ start: end - value.length, end, kind: "random-value" });
  }
  return found;
}

/** Returns true if the member's name announces a secret and the member's value looks random. */
export const isRandomMember = (name: string, value: string): boolean =>
  name.length <= 64 && WHOLE_VALUE.test(value) && WHOLE_NAME.test(name) && isRandom(name, value);

const isRandom = (name: string, value: string): boolean =>
  !HARMLESS_NAME_PATTERN.test(name) &&
  !isPlaceholder(value) &&
  !/^[./]|:\/\/|\.\w+[.(]/.test(value) &&
  bitsOf(value) >= LEAST_BITS;

/** Returns the Shannon entropy of a text in bits per character. */
function bitsOf(text: string): number {
  const counts = new Uint16Array(128);
  for (let at = 0; at < text.length; at += 1)
    counts[text.charCodeAt(at) & 127] = (counts[text.charCodeAt(at) & 127] ?? 0) + 1;
  return counts.reduce(
    (bits, count) => (count === 0 ? bits : bits - (count / text.length) * Math.log2(count / text.length)),
    0,
  );
}
