import { isRandomMember, RANDOM_STEPS, randomValues } from "./entropy.ts";
import { type Finding, searchesOf } from "./find.ts";
import { OwnPatterns } from "./own.ts";
import { type Compiled, compilePattern } from "./pattern.ts";
import { PERSONAL_STEPS, personalData } from "./personal.ts";
import type { Plain } from "./plain.ts";
import { Sweep } from "./sweep.ts";
import type { Range, Trigger } from "./triggers.ts";
import { TextWork, type Work } from "./work.ts";

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
  /** The work on a text; undefined for one that holds nothing of the sort. `triggers` are those of the built-in rules in the text, where they are known. */
  begin(text: string, triggers?: readonly Trigger[]): TextWork | undefined;
  /** The kind of a member's value as a whole, which no text shows without its name. */
  member(name: string, value: string): string | undefined;
  /** Reports whether a range of bytes may hold what the built-in rules alone do not find. */
  mayHoldMore(range: Range): boolean;
}

/** The finder of an organization. What is switched off costs nothing. */
export function finderFor(options: RedactionOptions): Finder {
  const { entropy, personalData: isPersonal, patterns } = options;
  // They were checked when they were set.
  const own = new OwnPatterns(patterns.map(({ name, pattern }) => ({ name, pattern: compilePattern(pattern) })));
  const literals = patterns.map(({ pattern }) => Buffer.from(compilePattern(pattern).literal));
  const readsAll = isPersonal || literals.some(({ length }) => length === 0);
  const isMore = isPersonal || entropy || patterns.length > 0;
  const more = (plain: Plain): Work[] => [
    ...(isPersonal ? [new Sweep(plain, personalData, PERSONAL_STEPS)] : []),
    ...(entropy ? [new Sweep(plain, randomValues, RANDOM_STEPS)] : []),
    ...(patterns.length > 0 ? [own.begin(plain)] : []),
  ];
  return {
    begin(text, triggers) {
      const searches = searchesOf(text, triggers);
      if (!isMore) return searches && new TextWork(text, searches);
      return new TextWork(text, searches ?? { plain: { text, places: undefined }, works: [] }, more);
    },
    member: (name, value) => (entropy && isRandomMember(name, value) ? "random-value" : undefined),
    mayHoldMore: ({ bytes, from, to }) =>
      readsAll || literals.some((literal) => bytes.subarray(from, to).includes(literal)),
  };
}

/** The matches of one pattern, in order and apart, and the steps that it took to find them. */
export function ownMatches(name: string, pattern: Compiled, text: string): Finding {
  const work = new OwnPatterns([{ name, pattern }]).begin({ text, places: undefined });
  work.advance(Number.POSITIVE_INFINITY);
  return { found: work.found(), steps: work.steps };
}
