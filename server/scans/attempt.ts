import { type Redactor, STEPS_PER_CHARACTER, type Trigger, triggersIn } from "../../redaction/index.ts";
import { bytesOf } from "../../redaction/triggers.ts";
import type { Asked } from "./thread.ts";

/** Thrown by a quick attempt when a text takes too long for the main thread. */
export const TAKES_LONG = new Error("the text takes long to scan");

/** A text that another thread scanned, and the text without its secrets. */
export interface Known extends Asked {
  redacted: string;
}

/** The most steps of one trigger, by which a long text without many of them is known to be cheap. */
const STEPS_PER_TRIGGER = 4_096;
/** Steps that the main thread may take at once: some milliseconds. So many a text of this length takes at most. */
const AT_ONCE = 16_384 * STEPS_PER_CHARACTER;

/** Characters in which triggers are counted at once. A text full of them has thousands there. */
const WINDOW = 8_192;

/** About the number of triggers in a text; once there are more than `most`, the rest is not looked at. */
function triggersUpTo(most: number, text: string): number {
  const range = bytesOf(text);
  let count = 0;
  for (let from = 0; from < text.length && count <= most; from += WINDOW)
    count += triggersIn({ ...range, from, to: Math.min(text.length, from + WINDOW) }).length;
  return count;
}

/**
 * The redactor of one attempt at some work. It scans text at once while that is cheap. Of any other text it uses what
 * another thread found (`known`, in the order of the calls), or notes the text as wanted and returns it as it is: the
 * attempt is then made again.
 */
export class Attempt implements Redactor {
  readonly isOn: boolean;
  readonly mark: Redactor["mark"];
  readonly digest: Redactor["digest"];
  readonly mayHoldMore: Redactor["mayHoldMore"];
  readonly #rules: Redactor;
  readonly #isCostlier: boolean;
  readonly #known: Known[] | undefined;
  #wanted: Asked[] = [];
  #calls = 0;
  #left = AT_ONCE;
  /** Steps that this attempt took on the main thread. */
  steps = 0;

  /** `isCostlier`: the organization has rules of its own, which cost also where there is no trigger. No `known`: throws TAKES_LONG. */
  constructor(rules: Redactor, isCostlier: boolean, known?: Known[]) {
    this.isOn = rules.isOn;
    this.mark = rules.mark;
    this.digest = rules.digest;
    this.mayHoldMore = rules.mayHoldMore;
    this.#rules = rules;
    this.#isCostlier = isCostlier;
    this.#known = known;
  }

  /** Begins a step of the work, after which others had their turn on the main thread. */
  next(): void {
    this.#left = AT_ONCE;
  }

  /** Texts that another thread must scan before the next attempt. */
  wanted(): readonly Asked[] {
    return this.#wanted;
  }

  text(text: string, triggers?: readonly Trigger[]): string {
    if (!this.isOn) return text;
    if (!this.#isCheap(text, triggers)) return this.#putOff({ text });
    const before = this.#rules.steps;
    const redacted = this.#rules.text(text, triggers);
    this.steps += this.#rules.steps - before;
    return redacted;
  }

  member(name: string, text: string): string {
    if (!this.isOn) return text;
    if (!this.#isCheap(text)) return this.#putOff({ name, text });
    const before = this.#rules.steps;
    const redacted = this.#rules.member(name, text);
    this.steps += this.#rules.steps - before;
    return redacted;
  }

  // biome-ignore lint/correctness/useYield: long text is scanned on other threads
  *inSlices(text: string, triggers?: readonly Trigger[]): Generator<void, string> {
    return this.text(text, triggers);
  }

  blanked(text: string): string[] {
    if (!this.#isCheap(text)) throw TAKES_LONG;
    return this.#rules.blanked(text);
  }

  /** Takes the steps of a text from what is left, and returns false when it is too little. */
  #isCheap(text: string, triggers?: readonly Trigger[]): boolean {
    const most = text.length * STEPS_PER_CHARACTER;
    if (most <= this.#left) return this.#take(most);
    if (this.#isCostlier) return false;
    const count = triggers?.length ?? triggersUpTo(this.#left / STEPS_PER_TRIGGER, text);
    return count * STEPS_PER_TRIGGER <= this.#left && this.#take(count * STEPS_PER_TRIGGER);
  }

  #take(steps: number): true {
    this.#left -= steps;
    return true;
  }

  /** The calls of an attempt are those of the one before, up to the first that depends on what was not known then. */
  #putOff(asked: Asked): string {
    if (!this.#known) throw TAKES_LONG;
    const at = this.#calls++;
    const known = this.#wanted.length === 0 ? this.#known[at] : undefined;
    if (known && known.text === asked.text && known.name === asked.name) return known.redacted;
    if (this.#wanted.length === 0) this.#known.length = at;
    this.#wanted.push(asked);
    return asked.text;
  }
}
