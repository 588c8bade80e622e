import { ENTROPY_STEPS_PER_CHARACTER, findRandomLookingSecrets, isRandomMember } from "./entropy.ts";
import { createSearches, type SecretSearchResult } from "./find.ts";
import { CustomPatternSet } from "./own.ts";
import { type CompiledPattern, compilePattern } from "./pattern.ts";
import { findPersonalData, PERSONAL_DATA_STEPS_PER_CHARACTER } from "./personal.ts";
import type { PlainText } from "./plain.ts";
import { SinglePassScan } from "./sweep.ts";
import type { ByteRange, LiteralMatch } from "./triggers.ts";
import { type PausableTextScan, TextScan } from "./work.ts";

/** Pattern that an organization defines. The redactor redacts matches as secrets of the kind `name`. */
export interface CustomPattern {
  name: string;
  pattern: string;
}

export interface RedactionOptions {
  /**
   * If false, the server stores all text as sent. Values under the header names of INGEST_REDACT are redacted even
   * then.
   */
  enabled: boolean;
  /** If true, values are redacted that look random and follow a name that announces a secret, in text of any format. */
  entropy: boolean;
  /** Redacts email addresses, telephone numbers, IBANs and card numbers. */
  personalData: boolean;
  patterns: readonly CustomPattern[];
}

/** Options of an organization that has not changed its options. */
export const DEFAULT_OPTIONS: RedactionOptions = { enabled: true, entropy: false, personalData: false, patterns: [] };

/** Finds the parts of texts that must be redacted. */
export interface SecretFinder {
  /**
   * Creates the search of a text; undefined if the text needs no search. A caller that already knows the triggers of
   * the built-in rules passes `triggers`.
   */
  begin(text: string, triggers?: readonly LiteralMatch[]): TextScan | undefined;
  /**
   * Returns the kind of secret if the whole value is a secret and only the member's name reveals this; otherwise
   * undefined.
   */
  member(name: string, value: string): string | undefined;
  /** Returns true if a byte range may contain secrets that the built-in rules do not find. */
  mayHoldMore(range: ByteRange): boolean;
}

/** Creates the finder of an organization. Options that are switched off cost nothing. */
export function createSecretFinder(options: RedactionOptions): SecretFinder {
  const { entropy, personalData: isPersonal, patterns } = options;
  // The patterns are valid: the server checked the patterns when the organization saved them.
  const own = new CustomPatternSet(patterns.map(({ name, pattern }) => ({ name, pattern: compilePattern(pattern) })));
  const literals = patterns.map(({ pattern }) => Buffer.from(compilePattern(pattern).literal));
  const readsAll = isPersonal || literals.some(({ length }) => length === 0);
  const isMore = isPersonal || entropy || patterns.length > 0;
  const more = (plain: PlainText): PausableTextScan[] => [
    ...(isPersonal ? [new SinglePassScan(plain, findPersonalData, PERSONAL_DATA_STEPS_PER_CHARACTER)] : []),
    ...(entropy ? [new SinglePassScan(plain, findRandomLookingSecrets, ENTROPY_STEPS_PER_CHARACTER)] : []),
    ...(patterns.length > 0 ? [own.begin(plain)] : []),
  ];
  return {
    begin(text, triggers) {
      const searches = createSearches(text, triggers);
      if (!isMore) return searches && new TextScan(text, searches);
      return new TextScan(text, searches ?? { plain: { text, places: undefined }, works: [] }, more);
    },
    member: (name, value) => (entropy && isRandomMember(name, value) ? "random-value" : undefined),
    mayHoldMore: ({ bytes, from, to }) =>
      readsAll || literals.some((literal) => bytes.subarray(from, to).includes(literal)),
  };
}

/** Returns the matches of one pattern, sorted and without overlap, and the steps that the search took. */
export function findPatternMatches(name: string, pattern: CompiledPattern, text: string): SecretSearchResult {
  const work = new CustomPatternSet([{ name, pattern }]).begin({ text, places: undefined });
  work.advance(Number.POSITIVE_INFINITY);
  return { found: work.found(), steps: work.steps };
}
