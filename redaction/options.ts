import { findRandomValues, isRandomMember, RANDOM_STEPS } from "./entropy.ts";
import { createSearches, type Finding } from "./find.ts";
import { OwnPatterns } from "./own.ts";
import { type CompiledPattern, compilePattern } from "./pattern.ts";
import { findPersonalData, PERSONAL_STEPS } from "./personal.ts";
import type { PlainText } from "./plain.ts";
import { Sweep } from "./sweep.ts";
import type { ByteRange, Trigger } from "./triggers.ts";
import { type PausableWork, TextWork } from "./work.ts";

/** Pattern that an organization defines. The redactor redacts matches as secrets of the kind `name`. */
export interface OwnPattern {
  name: string;
  pattern: string;
}

export interface RedactionOptions {
  /** False stores all text as sent. Values under the header names of INGEST_REDACT are redacted anyway. */
  enabled: boolean;
  /** Redacts values that look random next to a telling name, in any format. */
  entropy: boolean;
  /** Redacts email addresses, telephone numbers, IBANs and card numbers. */
  personalData: boolean;
  patterns: readonly OwnPattern[];
}

/** Settings of an organization that has not changed any. */
export const DEFAULT_OPTIONS: RedactionOptions = { enabled: true, entropy: false, personalData: false, patterns: [] };

/** Finds the parts of texts that must be redacted. */
export interface Finder {
  /**
   * Creates the work on a text; undefined if the text needs no work. Pass `triggers` if the triggers of the built-in
   * rules in the text are already known.
   */
  begin(text: string, triggers?: readonly Trigger[]): TextWork | undefined;
  /** Returns the kind of a member's whole value, when only the member's name reveals the kind. */
  member(name: string, value: string): string | undefined;
  /** Returns true if a byte range may contain finds beyond those of the built-in rules. */
  mayHoldMore(range: ByteRange): boolean;
}

/** Creates the finder of an organization. Options that are switched off cost nothing. */
export function createFinder(options: RedactionOptions): Finder {
  const { entropy, personalData: isPersonal, patterns } = options;
  // The patterns are valid: the server checked the patterns when the organization saved them.
  const own = new OwnPatterns(patterns.map(({ name, pattern }) => ({ name, pattern: compilePattern(pattern) })));
  const literals = patterns.map(({ pattern }) => Buffer.from(compilePattern(pattern).literal));
  const readsAll = isPersonal || literals.some(({ length }) => length === 0);
  const isMore = isPersonal || entropy || patterns.length > 0;
  const more = (plain: PlainText): PausableWork[] => [
    ...(isPersonal ? [new Sweep(plain, findPersonalData, PERSONAL_STEPS)] : []),
    ...(entropy ? [new Sweep(plain, findRandomValues, RANDOM_STEPS)] : []),
    ...(patterns.length > 0 ? [own.begin(plain)] : []),
  ];
  return {
    begin(text, triggers) {
      const searches = createSearches(text, triggers);
      if (!isMore) return searches && new TextWork(text, searches);
      return new TextWork(text, searches ?? { plain: { text, places: undefined }, works: [] }, more);
    },
    member: (name, value) => (entropy && isRandomMember(name, value) ? "random-value" : undefined),
    mayHoldMore: ({ bytes, from, to }) =>
      readsAll || literals.some((literal) => bytes.subarray(from, to).includes(literal)),
  };
}

/** Returns the matches of one pattern, sorted and without overlap, and the steps that the search took. */
export function findOwnMatches(name: string, pattern: CompiledPattern, text: string): Finding {
  const work = new OwnPatterns([{ name, pattern }]).begin({ text, places: undefined });
  work.advance(Number.POSITIVE_INFINITY);
  return { found: work.found(), steps: work.steps };
}
