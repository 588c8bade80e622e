import { createHmac, hash } from "node:crypto";
import { memberKind } from "./assignment.ts";
import { DEFAULT_OPTIONS, finderFor, type RedactionOptions } from "./options.ts";
import type { Found } from "./token.ts";
import type { Range, Trigger } from "./triggers.ts";
import { MARKS } from "./work.ts";

export { findSecrets, mayHold, triggersIn } from "./find.ts";
export { DEFAULT_OPTIONS, type RedactionOptions } from "./options.ts";
export { patternFault } from "./pattern.ts";
export { BUILT_IN_KINDS } from "./rules.ts";
export type { Trigger } from "./triggers.ts";
export { STEPS_PER_CHARACTER, STEPS_PER_TEXT } from "./work.ts";

/** Takes the secrets out of the texts of one organization. */
export interface Redactor {
  /** False where the organization keeps its texts as they are sent. */
  isOn: boolean;
  /**
   * The steps of work that `text`, `inSlices`, `member` and `blanked` have spent so far, for all texts together. A caller reads it
   * before and after a synchronous part of its work, and charges the difference. A text takes at most `STEPS_PER_CHARACTER` steps
   * per character, and `STEPS_PER_TEXT` more.
   */
  readonly steps: number;
  /**
   * The text with a mark in the place of each secret; `triggers` are those in it, where they are known. A mark of the kind
   * `unscanned` stands for what was left of a text whose steps were spent.
   */
  text(text: string, triggers?: readonly Trigger[]): string;
  /** The same as `text`, with a pause after every few milliseconds of work: the caller lets others run, then resumes it. */
  inSlices(text: string, triggers?: readonly Trigger[]): Generator<void, string>;
  /** The text of a member of an object, of which its name may tell what it is. */
  member(name: string, text: string): string;
  /** The mark that stands for a whole value. */
  mark(kind: string, value: string): string;
  /** A hash of a text that may hold secrets, which nobody without the server's secret can try guesses on. */
  digest(text: string): string;
  /** Reports whether a range of bytes may hold what `mayHold` does not know: something that the organization switched on. */
  mayHoldMore(range: Range): boolean;
  /** The pieces of a text between its marks, and between the secrets that are still in it. */
  blanked(text: string): string[];
}

/** Makes the redactors of organizations. Marks carry a hint, keyed by the server's secret and the organization. */
export function redactorFor(
  secret: Uint8Array,
  organizationId: string,
  options: RedactionOptions = DEFAULT_OPTIONS,
): Redactor {
  const { enabled } = options;
  const finder = finderFor(options);
  let steps = 0;
  let key: string | undefined;
  // The key fills the first block of the hash. A text may hold 80,000 secrets a MiB, and an HMAC takes twice as long.
  const digest = (value: string) => {
    key ??= createHmac("sha256", secret).update(`redaction of ${organizationId}`).digest("hex");
    return hash("sha256", key + value, "hex");
  };
  const mark = (kind: string, value: string) =>
    isMark(value) ? value : `[redacted:${kind}:${digest(value).slice(0, HINT)}]`;
  const marked =
    (whole: string) =>
    ({ start, end, kind }: Found) =>
      mark(kind, whole.slice(start, end));
  const find = (whole: string, triggers?: readonly Trigger[]): readonly Found[] => {
    const work = finder.begin(whole, triggers);
    work?.advance(Number.POSITIVE_INFINITY);
    const found = work?.found() ?? [];
    steps += (work?.steps ?? 0) + found.length * MARK_STEPS;
    return found;
  };
  const text = (whole: string, triggers?: readonly Trigger[]) => replaced(whole, find(whole, triggers), marked(whole));
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
      const kind = redacted === value ? (memberKind(name, value) ?? finder.member(name, value)) : undefined;
      return kind === undefined ? redacted : mark(kind, value);
    },
    digest,
    mayHoldMore: finder.mayHoldMore,
    blanked: (whole) =>
      replaced(whole, find(whole), () => "\0")
        .replaceAll(MARKS, "\0")
        .split("\0"),
  };
}

/** Steps in whose time a mark is made, most of which its hash takes; and how much is done between two pauses. */
const [MARK_STEPS, SLICE_STEPS, SLICE_MARKS] = [32, 250_000, 2_000];

/** Hexadecimal digits of a hint: enough to follow one secret through a session, too few to prove equality. */
const HINT = 4;

const ALONE = new RegExp(`^${MARKS.source}$`);

/** Reports whether a value is a mark already. */
const isMark = (value: string): boolean => ALONE.test(value);

/** The number of marks in texts, by kind, as JSON text; null for none. */
export function marksIn(texts: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const text of texts) {
    if (!text?.includes("[redacted:")) continue;
    for (const [, kind = ""] of text.matchAll(MARKS)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts.size > 0 ? JSON.stringify(Object.fromEntries(counts)) : null;
}

/** A text, or a part of it, with something else in the place of each find. */
function replaced(
  text: string,
  found: readonly Found[],
  by: (find: Found) => string,
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
