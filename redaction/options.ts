import { type Finding, findSecrets } from "./find.ts";
import { type Compiled, compilePattern, matchAt, mayBeginAt } from "./pattern.ts";
import { personalData } from "./personal.ts";
import { HARMLESS_NAME, PLACEHOLDER } from "./rules.ts";
import type { Found } from "./token.ts";
import type { Range, Trigger } from "./triggers.ts";

/** A pattern of an organization's own: its matches are taken out as secrets of a kind of this name. */
export interface OwnPattern {
  name: string;
  pattern: string;
}

/** The switches of an organization: which secrets are taken out of its texts. */
export interface RedactionOptions {
  /** False keeps every text as it was sent. Header names of the server are hidden all the same. */
  enabled: boolean;
  /** Takes out values that look random beside a telling name, whatever their spelling. */
  entropy: boolean;
  /** Takes out e-mail addresses, telephone numbers, IBANs and card numbers. */
  personalData: boolean;
  patterns: readonly OwnPattern[];
}

/** The switches of an organization that has set none. */
export const DEFAULT_OPTIONS: RedactionOptions = { enabled: true, entropy: false, personalData: false, patterns: [] };

/** Finds what is to be taken out of texts. */
export interface Finder {
  /** In order and apart. `triggers` are those of the built-in rules in the text, where they are known. */
  find(text: string, triggers?: readonly Trigger[]): Finding;
  /** The kind of a member's value as a whole, which `find` does not see without its name. */
  member(name: string, value: string): string | undefined;
  /** Reports whether a range of bytes may hold what the built-in rules alone do not find. */
  mayHoldMore(range: Range): boolean;
}

/** The finder of an organization. What is switched off costs nothing. */
export function finderFor(options: RedactionOptions): Finder {
  const { entropy, personalData: isPersonal, patterns } = options;
  // They were checked when they were set.
  const own = patterns.map(({ name, pattern }) => ({ name, pattern: compilePattern(pattern) }));
  const literals = own.map(({ pattern }) => Buffer.from(pattern.literal));
  const readsAll = isPersonal || literals.some(({ length }) => length === 0);
  const find = (text: string, triggers?: readonly Trigger[]): Finding => {
    const builtIn = findSecrets(text, triggers);
    const matches = own.map(({ name, pattern }) => ownMatches(name, pattern, text));
    const more = [
      ...matches.flatMap(({ found }) => found),
      ...(isPersonal ? personalData(text) : []),
      ...(entropy ? randomValues(text) : []),
    ];
    return {
      found: apart(text, builtIn.found, more),
      steps: matches.reduce((sum, { steps }) => sum + steps, builtIn.steps),
    };
  };
  return {
    find,
    member: (name, value) => (entropy && isRandomMember(name, value) ? "random-value" : undefined),
    mayHoldMore: ({ bytes, from, to }) =>
      readsAll || literals.some((literal) => bytes.subarray(from, to).includes(literal)),
  };
}

/** Every mark in a text, with its kind. */
export const MARKS = /\[redacted:([a-z0-9-]{1,40}):[0-9a-f]{4}\]/g;

/** Puts finds in order. Two that overlap are one, of the kind of the built-in rule or else of the first. */
function apart(text: string, builtIn: readonly Found[], more: Found[]): readonly Found[] {
  if (more.length === 0) return builtIn;
  const known = new Set(builtIn);
  const all: Found[] = [];
  for (const next of [...builtIn, ...outsideMarks(text, more)].sort(byStart)) {
    const last = all.at(-1);
    if (!last || next.start >= last.end) all.push({ ...next });
    else {
      if (known.has(next)) last.kind = next.kind;
      last.end = Math.max(last.end, next.end);
    }
  }
  return all;
}

const byStart = (one: Found, other: Found) => one.start - other.start;

/** Leaves out finds that touch a mark: a secret is taken out once. */
function outsideMarks(text: string, more: Found[]): Found[] {
  if (!text.includes("[redacted:")) return more;
  const marks = [...text.matchAll(MARKS)].map(({ index, 0: mark }) => ({ start: index, end: index + mark.length }));
  let at = 0;
  return more.sort(byStart).filter(({ start, end }) => {
    while ((marks[at]?.end ?? text.length) <= start) at += 1;
    const mark = marks[at];
    return !mark || mark.start >= end;
  });
}

/** The matches of a pattern, in order and apart, and the characters that were looked at. */
export function ownMatches(name: string, pattern: Compiled, text: string): { found: Found[]; steps: number } {
  const found: Found[] = [];
  let steps = 0;
  const next = (from: number) =>
    pattern.isLed ? text.indexOf(pattern.literal, from) : mayBeginAt(pattern, text, from);
  if (!text.includes(pattern.literal)) return { found, steps };
  for (let at = next(0); at >= 0 && at < text.length; ) {
    const attempt = matchAt(pattern, text, at);
    steps += attempt.steps;
    if (attempt.end > at) found.push({ start: at, end: attempt.end, kind: name });
    const before = Math.max(at + 1, attempt.end);
    at = next(before);
    steps += Math.max(0, at - before);
  }
  return { found, steps };
}

/** Names, in any case. Each holds a word of the rules' names, so that the search for triggers meets it. */
const TELLING = /(?:pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|private)[-_]?key|credential)[\w.-]{0,32}/;
const BETWEEN = /["'`\]\\]{0,6}[ \t]{0,4}(?:=>|:=|=|:)[ \t]{0,4}["'`\\]{0,4}/;
const VALUE = /[\w+/=.~!@#$%^&*-]{20,256}/;
const BESIDE = new RegExp(`(${TELLING.source})${BETWEEN.source}(${VALUE.source})`, "gi");
const [WHOLE_NAME, WHOLE_VALUE] = [new RegExp(TELLING.source, "i"), new RegExp(`^${VALUE.source}$`)];

/** Bits a character. Words of a language have fewer; 20 characters drawn from 64 rarely do. */
const LEAST_BITS = 3.9;

/** Values beside a telling name that look random, whatever their spelling. */
function randomValues(text: string): Found[] {
  const found: Found[] = [];
  for (const { index, 0: all, 1: name = "", 2: value = "" } of text.matchAll(BESIDE)) {
    const end = index + all.length;
    if (isRandom(name, value)) found.push({ start: end - value.length, end, kind: "random-value" });
  }
  return found;
}

/** Reports whether the value of a member looks random beside its name. */
const isRandomMember = (name: string, value: string): boolean =>
  name.length <= 64 && WHOLE_VALUE.test(value) && WHOLE_NAME.test(name) && isRandom(name, value);

const isRandom = (name: string, value: string): boolean =>
  !HARMLESS_NAME.test(name) &&
  !PLACEHOLDER.test(value) &&
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
