import { mergeFinds, type TextSearches } from "./find.ts";
import type { PlainText } from "./plain.ts";
import { UNSCANNED } from "./rules.ts";
import { SinglePassScan } from "./sweep.ts";
import type { FoundSecret } from "./token.ts";

/** One of the searches of a text. The search can pause and continue. */
export interface PausableTextScan {
  readonly steps: number;
  /** Position in the sent text before which all secrets have been found. */
  readonly at: number;
  /** Continues until the work has spent `steps` steps in total. Returns true if the work is complete. */
  advance(steps: number): boolean;
  /**
   * Returns the secrets found so far, by their position in the sent text. The finds do not overlap unless the
   * implementation documents otherwise.
   */
  found(): FoundSecret[];
}

/**
 * Maximum number of steps for a text: a number of steps per character, plus a fixed number per text. The built-in rules
 * take linear time, less than two steps per character for nearly every text, but patterns of an organization may take
 * more. When the steps of a text are spent, the redactor withholds the remainder and never stores the remainder
 * unredacted.
 */
export const [STEPS_PER_CHARACTER, STEPS_PER_TEXT] = [64, 4096];
/**
 * Share of the maximum number of steps after which the search stops. The remaining share covers the search step that
 * still runs and the creation of the marks.
 */
const BUDGET = 0.75;

/** All searches of one text: by the built-in rules, and by the options that an organization switched on. */
export class TextScan {
  readonly #text: string;
  /** Searches of the built-in rules. */
  readonly #searches: readonly PausableTextScan[];
  readonly #works: readonly PausableTextScan[];
  readonly #most: number;
  /** Index of the search that runs now, and the total steps of all completed searches. */
  #place = 0;
  #spent = 0;
  #withheld: number;

  /**
   * `more` creates the searches that the organization's options need, beyond the built-in rules. The constructor calls
   * `more` for the text as sent, and for the text without escapes and terminal codes.
   */
  constructor(text: string, { plain, works }: TextSearches, more?: (plain: PlainText) => readonly PausableTextScan[]) {
    this.#text = text;
    this.#searches = works;
    const readings = more ? [{ text, places: undefined }, ...(plain.places ? [plain] : [])] : [];
    const others = more ? readings.flatMap(more) : [];
    const sweeps: readonly PausableTextScan[] = others.filter((work) => work instanceof SinglePassScan);
    this.#works = [...sweeps, ...works, ...others.filter((work) => !sweeps.includes(work))];
    this.#most = BUDGET * (STEPS_PER_CHARACTER * text.length + STEPS_PER_TEXT);
    this.#withheld = text.length;
  }

  get steps(): number {
    return this.#spent + (this.#works[this.#place]?.steps ?? 0);
  }

  /** Continues for up to `steps` steps. Returns true if the work is complete. */
  advance(steps: number): boolean {
    const until = this.steps + steps;
    for (let work = this.#works[this.#place]; work; work = this.#works[this.#place]) {
      // Each search may take an equal share of the remaining steps, so that enough steps remain for the later searches.
      const share = (this.#most - this.#spent) / (this.#works.length - this.#place);
      const isDone = work.advance(Math.min(until - this.#spent, share));
      if (!isDone && work.steps < share) return false;
      if (!isDone) this.#withheld = Math.min(this.#withheld, work.at);
      this.#spent += work.steps;
      this.#place += 1;
    }
    return true;
  }

  /** Returns the parts of the text to redact, sorted and without overlap. Call after the work is complete. */
  found(): readonly FoundSecret[] {
    const [first, second] = this.#searches.map((work) => work.found());
    const builtIn = second ? mergeFinds([...(first ?? []), ...second]) : (first ?? []);
    const more = this.#works.filter((work) => !this.#searches.includes(work)).flatMap((work) => work.found());
    const rest = { start: this.#withheld, end: this.#text.length, kind: UNSCANNED };
    if (more.length === 0 && rest.start >= rest.end) return builtIn;
    return apart(builtIn, outsideMarks(this.#text, more), rest);
  }
}

/**
 * Sorts finds and merges overlapping finds. A merged find has the kind `unscanned` if it includes withheld text, else
 * the kind of the built-in rule, else the kind of the first find.
 */
function apart(
  builtIn: readonly FoundSecret[],
  more: readonly FoundSecret[],
  withheld: FoundSecret,
): readonly FoundSecret[] {
  const known = new Set(builtIn);
  const all: FoundSecret[] = [];
  for (const next of [...builtIn, ...more, withheld].sort(byStart)) {
    const last = all.at(-1);
    if (next.start >= next.end) continue;
    if (!last || next.start >= last.end) all.push({ ...next });
    else {
      if (next === withheld || (known.has(next) && last.kind !== UNSCANNED)) last.kind = next.kind;
      last.end = Math.max(last.end, next.end);
    }
  }
  return all;
}

const byStart = (one: FoundSecret, other: FoundSecret) => one.start - other.start;

/** Matches every mark in a text and captures its kind. */
export const REDACTION_MARK_PATTERN = /\[redacted:([a-z0-9-]{1,40}):[0-9a-f]{4}\]/g;

/** Discards finds that touch a mark, because the secret is already redacted. */
function outsideMarks(text: string, more: FoundSecret[]): FoundSecret[] {
  if (!text.includes("[redacted:")) return more;
  const marks = [...text.matchAll(REDACTION_MARK_PATTERN)].map(({ index, 0: mark }) => ({
    start: index,
    end: index + mark.length,
  }));
  let at = 0;
  return more.sort(byStart).filter(({ start, end }) => {
    while ((marks[at]?.end ?? text.length) <= start) at += 1;
    const mark = marks[at];
    return !mark || mark.start >= end;
  });
}
