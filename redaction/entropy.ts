import { HARMLESS_NAME, isPlaceholder } from "./rules.ts";
import type { Found } from "./token.ts";

/** Steps that the search takes for a character. */
export const RANDOM_STEPS = 2;

/** Names, in any case. Each holds a word of the rules' names, so that the search for triggers meets it. */
const TELLING = /(?:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private)[-_]?key|credential)[\w.-]{0,32}/;
const BETWEEN = /["'`\]\\]{0,6}[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}["'`\\]{0,4}/;
const VALUE = /[\w+/=.~!@#$%^&*-]{20,256}/;
const BESIDE = new RegExp(`(${TELLING.source})${BETWEEN.source}(${VALUE.source})`, "gi");
const [WHOLE_NAME, WHOLE_VALUE] = [new RegExp(TELLING.source, "i"), new RegExp(`^${VALUE.source}$`)];

/** Bits a character. Words of a language have fewer; 20 characters drawn from 64 rarely do. */
const LEAST_BITS = 3.9;

/** Values beside a telling name that look random, whatever their spelling. */
export function randomValues(text: string): Found[] {
  const found: Found[] = [];
  for (const { index, 0: all, 1: name = "", 2: value = "" } of text.matchAll(BESIDE)) {
    const end = index + all.length;
    if (isRandom(name, value)) found.push({ start: end - value.length, end, kind: "random-value" });
  }
  return found;
}

/** Reports whether the value of a member looks random beside its name. */
export const isRandomMember = (name: string, value: string): boolean =>
  name.length <= 64 && WHOLE_VALUE.test(value) && WHOLE_NAME.test(name) && isRandom(name, value);

const isRandom = (name: string, value: string): boolean =>
  !HARMLESS_NAME.test(name) &&
  !isPlaceholder(value) &&
  !/^[./]|:\/\/|\.\w+[.(]/.test(value) &&
  bitsOf(value) >= LEAST_BITS;

/** Shannon's entropy of a text, a character. */
function bitsOf(text: string): number {
  const counts = new Uint16Array(128);
  for (let at = 0; at < text.length; at += 1)
    counts[text.charCodeAt(at) & 127] = (counts[text.charCodeAt(at) & 127] ?? 0) + 1;
  return counts.reduce(
    (bits, count) => (count === 0 ? bits : bits - (count / text.length) * Math.log2(count / text.length)),
    0,
  );
}
