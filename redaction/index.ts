import { createHmac, hash } from "node:crypto";
import { findMemberSecretKind } from "./assignment.ts";
import { createSecretFinder, DEFAULT_OPTIONS, type RedactionOptions } from "./options.ts";
import type { FoundSecret } from "./token.ts";
import type { ByteRange, LiteralMatch } from "./triggers.ts";
import { REDACTION_MARK_PATTERN } from "./work.ts";

export { findSecrets, findTriggers, mayContainTrigger } from "./find.ts";
export { DEFAULT_OPTIONS, type RedactionOptions } from "./options.ts";
export { findPatternFault } from "./pattern.ts";
export { BUILT_IN_KINDS } from "./rules.ts";
export type { LiteralMatch } from "./triggers.ts";
export { STEPS_PER_CHARACTER, STEPS_PER_TEXT } from "./work.ts";

/** Redacts secrets in the text of one organization. */
export interface Redactor {
  /** False if the organization switched redaction off and stores text as sent. */
  isOn: boolean;
  /**
   * Total steps that `text`, `inSlices`, `member` and `blanked` have spent so far. A caller reads `steps` before and
   * after a synchronous part of its work and charges the difference. A text takes at most `STEPS_PER_CHARACTER` steps
   * per character, plus `STEPS_PER_TEXT`.
   */
  readonly steps: number;
  /**
   * Returns the text with a mark in place of each secret. Pass `triggers` if the triggers of the text are already
   * known. A mark of kind `unscanned` replaces the remainder of a text whose step budget is spent.
   */
  text(text: string, triggers?: readonly LiteralMatch[]): string;
  /**
   * Same as `text`, but yields after every few milliseconds of work, so that the caller can run other work in between.
   */
  inSlices(text: string, triggers?: readonly LiteralMatch[]): Generator<void, string>;
  /** Redacts the value of an object's member. The member's name may announce a secret. */
  member(name: string, text: string): string;
  /** Returns the mark that replaces a whole value. */
  mark(kind: string, value: string): string;
  /**
   * Returns a keyed hash of text that may contain secrets. Without the server's secret, nobody can test guesses against
   * the hash.
   */
  digest(text: string): string;
  /**
   * Returns true if a byte range may contain secrets that only the organization's own options find. `mayContainTrigger`
   * checks only the built-in rules.
   */
  mayHoldMore(range: ByteRange): boolean;
  /** Splits a text at its marks and at its unredacted secrets, and returns the pieces. */
  blanked(text: string): string[];
}

/**
 * Creates the redactor of an organization. The hint in each mark is a hash keyed by the server's secret and the
 * organization.
 */
export function createRedactor(
  secret: Uint8Array,
  organizationId: string,
  options: RedactionOptions = DEFAULT_OPTIONS,
): Redactor {
  const { enabled } = options;
  const finder = createSecretFinder(options);
  let steps = 0;
  let key: string | undefined;
  // Uses SHA-256 with the key as a prefix instead of HMAC: a text may contain 80,000 secrets per MiB, and HMAC takes
  // twice as long. The key fills the first block of the hash.
  const digest = (value: string) => {
    key ??= createHmac("sha256", secret).update(`redaction of ${organizationId}`).digest("hex");
    return hash("sha256", key + value, "hex");
  };
  const mark = (kind: string, value: string) =>
    isMark(value) ? value : `[redacted:${kind}:${digest(value).slice(0, HINT)}]`;
  const marked =
    (whole: string) =>
    ({ start, end, kind }: FoundSecret) =>
      mark(kind, whole.slice(start, end));
  const find = (whole: string, triggers?: readonly LiteralMatch[]): readonly FoundSecret[] => {
    const work = finder.begin(whole, triggers);
    work?.advance(Number.POSITIVE_INFINITY);
    const found = work?.found() ?? [];
    steps += (work?.steps ?? 0) + found.length * MARK_STEPS;
    return found;
  };
  const text = (whole: string, triggers?: readonly LiteralMatch[]) =>
    replaced(whole, find(whole, triggers), marked(whole));
  return {
    isOn: enabled,
    get steps() {
      return steps;
    },
    text: enabled ? text : (whole) => whole,
    *inSlices(whole, triggers) {
      const work = enabled ? finder.begin(whole, triggers) : undefined;
      if (!work) return whole;
      for (let [before, isDone] = [0, false]; !isDone; before = work.steps) {
        isDone = work.advance(SLICE_STEPS);
        steps += work.steps - before;
        yield;
      }
      const found = work.found();
      const pieces: string[] = [];
      for (let at = 0; at < found.length; at += SLICE_MARKS) {
        steps += MARK_STEPS * Math.min(SLICE_MARKS, found.length - at);
        const next = found[at + SLICE_MARKS - 1];
        const part = {
          from: found[at - 1]?.end ?? 0,
          to: next && at + SLICE_MARKS < found.length ? next.end : whole.length,
        };
        pieces.push(replaced(whole, found.slice(at, at + SLICE_MARKS), marked(whole), part));
        yield;
      }
      return found.length === 0 ? whole : pieces.join("");
    },
    mark,
    member(name, value) {
      if (!enabled || isMark(value)) return value;
      const redacted = text(value);
      const kind = redacted === value ? (findMemberSecretKind(name, value) ?? finder.member(name, value)) : undefined;
      return kind === undefined ? redacted : mark(kind, value);
    },
    digest,
    mayHoldMore: finder.mayHoldMore,
    blanked: (whole) =>
      replaced(whole, find(whole), () => "\0")
        .replaceAll(REDACTION_MARK_PATTERN, "\0")
        .split("\0"),
  };
}

/**
 * Cost of creating one mark in steps, mostly for the hash. Then the maximum number of steps, and of marks, between two
 * pauses.
 */
const [MARK_STEPS, SLICE_STEPS, SLICE_MARKS] = [32, 250_000, 2_000];

/**
 * Number of hexadecimal digits in a hint. The digits suffice to recognize a secret throughout a session, but do not
 * prove that two secrets are equal.
 */
const HINT = 4;

const ALONE = new RegExp(`^${REDACTION_MARK_PATTERN.source}$`);

const isMark = (value: string): boolean => ALONE.test(value);

/** Counts the marks in texts by kind, as JSON text; null if there are none. */
export function countRedactionMarksAsJson(texts: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const text of texts) {
    if (!text?.includes("[redacted:")) continue;
    for (const [, kind = ""] of text.matchAll(REDACTION_MARK_PATTERN)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts.size > 0 ? JSON.stringify(Object.fromEntries(counts)) : null;
}

/** Returns a text, or part of a text, with each find replaced. */
function replaced(
  text: string,
  found: readonly FoundSecret[],
  by: (find: FoundSecret) => string,
  part = { from: 0, to: text.length },
): string {
  if (found.length === 0) return text;
  let { from } = part;
  const pieces: string[] = [];
  for (const each of found) {
    pieces.push(text.slice(from, each.start), by(each));
    from = each.end;
  }
  return pieces.join("") + text.slice(from, part.to);
}
