import { isRandomMember, randomValues } from "./entropy.ts";
import { findSecrets } from "./find.ts";
import { compiledPatterns, type OwnPattern, ownMatches } from "./own/patterns.ts";
import { personalData } from "./personal.ts";
import type { Found } from "./token.ts";
import type { Range, Trigger } from "./triggers.ts";

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
  find(text: string, triggers?: readonly Trigger[]): readonly Found[];
  /** The kind of a member's value as a whole, which `find` does not see without its name. */
  member(name: string, value: string): string | undefined;
  /** Reports whether a range of bytes may hold what the built-in rules alone do not find. */
  mayHoldMore(range: Range): boolean;
}

/** The rules of all organizations alone. */
const BUILT_IN: Finder = {
  find: (text, triggers) => findSecrets(text, triggers).found,
  member: () => undefined,
  mayHoldMore: () => false,
};

/** The finder of an organization. What is switched off costs nothing. */
export function finderFor(options: RedactionOptions): Finder {
  const { entropy, personalData: isPersonal, patterns } = options;
  if (!entropy && !isPersonal && patterns.length === 0) return BUILT_IN;
  const own = compiledPatterns(patterns);
  const literals = own.map(({ pattern }) => Buffer.from(pattern.literal));
  const readsAll = isPersonal || literals.some(({ length }) => length === 0);
  const more = (text: string) => [
    ...own.flatMap(({ name, pattern }) => ownMatches(name, pattern, text).found),
    ...(isPersonal ? personalData(text) : []),
    ...(entropy ? randomValues(text) : []),
  ];
  return {
    find: (text, triggers) => apart(text, findSecrets(text, triggers).found, more(text)),
    member: (name, value) => (entropy && isRandomMember(name, value) ? "random-value" : undefined),
    mayHoldMore({ bytes, from, to }) {
      if (readsAll) return true;
      const part = bytes.subarray(from, to);
      return literals.some((literal) => part.includes(literal));
    },
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
