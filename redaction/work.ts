import { merged, type Searches } from "./find.ts";
import type { Plain } from "./plain.ts";
import { UNSCANNED } from "./rules.ts";
import { Sweep } from "./sweep.ts";
import type { Found } from "./token.ts";

/** A part of the work on a text, which can pause. */
export interface Work {
  readonly steps: number;
  /** Every secret that begins before this place of the sent text is found. */
  readonly at: number;
  /** Works on until it has spent so many steps in all. Returns whether it is at its end. */
  advance(steps: number): boolean;
  /** The secrets that it has found, by their places in the text that was sent; apart, but for work that says otherwise. */
  found(): Found[];
}

/**
 * The most steps that a text takes for each of its characters, and besides. The time of the built-in rules is linear in the length of
 * a text, and nearly every text takes less than two steps for each character; patterns of an organization may take more. What is
 * left of a text whose steps are spent is withheld, and never kept as it was.
 */
export const [STEPS_PER_CHARACTER, STEPS_PER_TEXT] = [64, 4096];
/** The part of them after which nothing more is looked for: what was at work, and the marks, take less than the rest. */
const BUDGET = 0.75;

/** The work on one text: of the built-in rules, and then of what an organization switched on. */
export class TextWork {
  readonly #text: string;
  /** Those of the built-in rules. */
  readonly #searches: readonly Work[];
  readonly #works: readonly Work[];
  readonly #most: number;
  /** The place of the work in hand, and the steps of those before it. */
  #place = 0;
  #spent = 0;
  #withheld: number;

  /** `more` makes the works of a reading of the text beside those of the built-in rules. */
  constructor(text: string, { plain, works }: Searches, more?: (plain: Plain) => readonly Work[]) {
    this.#text = text;
    this.#searches = works;
    const readings = more ? [{ text, places: undefined }, ...(plain.places ? [plain] : [])] : [];
    const others = more ? readings.flatMap(more) : [];
    const sweeps: readonly Work[] = others.filter((work) => work instanceof Sweep);
    this.#works = [...sweeps, ...works, ...others.filter((work) => !sweeps.includes(work))];
    this.#most = BUDGET * (STEPS_PER_CHARACTER * text.length + STEPS_PER_TEXT);
    this.#withheld = text.length;
  }

  get steps(): number {
    return this.#spent + (this.#works[this.#place]?.steps ?? 0);
  }

  /** Works on for so many steps. Returns whether it is at its end. */
  advance(steps: number): boolean {
    const until = this.steps + steps;
    for (let work = this.#works[this.#place]; work; work = this.#works[this.#place]) {
      // Each leaves their shares to those that follow.
      const share = (this.#most - this.#spent) / (this.#works.length - this.#place);
      const isDone = work.advance(Math.min(until - this.#spent, share));
      if (!isDone && work.steps < share) return false;
      if (!isDone) this.#withheld = Math.min(this.#withheld, work.at);
      this.#spent += work.steps;
      this.#place += 1;
    }
    return true;
  }

  /** The parts of the text to redact, in order and apart, once it is at its end. */
  found(): readonly Found[] {
    const [first, second] = this.#searches.map((work) => work.found());
    const builtIn = second ? merged([...(first ?? []), ...second]) : (first ?? []);
    const more = this.#works.filter((work) => !this.#searches.includes(work)).flatMap((work) => work.found());
    const rest = { start: this.#withheld, end: this.#text.length, kind: UNSCANNED };
    if (more.length === 0 && rest.start >= rest.end) return builtIn;
    return apart(builtIn, outsideMarks(this.#text, more), rest);
  }
}

/** Puts finds in order. Two that overlap are one: of the kind of what is withheld, of the built-in rule, or else of the first. */
function apart(builtIn: readonly Found[], more: readonly Found[], withheld: Found): readonly Found[] {
  const known = new Set(builtIn);
  const all: Found[] = [];
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

const byStart = (one: Found, other: Found) => one.start - other.start;

/** Every mark in a text, with its kind. */
export const MARKS = /\[redacted:([a-z0-9-]{1,40}):[0-9a-f]{4}\]/g;

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
