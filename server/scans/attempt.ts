import { findTriggers, type LiteralMatch, type Redactor, STEPS_PER_CHARACTER } from "../../redaction/index.ts";
import { toLatin1ByteRange } from "../../redaction/triggers.ts";
import type { ScanInput } from "./thread.ts";

/** Thrown by a quick attempt if a text takes too long for the main thread. */
export const SCAN_TAKES_LONG_ERROR = new Error("the text takes long to scan");

/** Text that another thread scanned, and the redacted text. */
export interface ScannedText extends ScanInput {
  redacted: string;
}

/**
 * Maximum number of steps that one trigger is taken to cost. A long text with few triggers is therefore known to be
 * cheap.
 */
const STEPS_PER_TRIGGER = 4_096;
/**
 * Maximum number of steps that the main thread takes without a pause, which is some milliseconds. A text of 16,384
 * characters takes at most this number of steps.
 */
const AT_ONCE = 16_384 * STEPS_PER_CHARACTER;

/**
 * Triggers are counted in windows of this number of characters, so that the count can stop early. In a text full of
 * triggers, one window contains thousands of triggers.
 */
const WINDOW = 8_192;

/** Counts the triggers in a text. Stops when there are more than `most`. */
function triggersUpTo(most: number, text: string): number {
  const range = toLatin1ByteRange(text);
  let count = 0;
  for (let from = 0; from < text.length && count <= most; from += WINDOW)
    count += findTriggers({ ...range, from, to: Math.min(text.length, from + WINDOW) }).length;
  return count;
}

/**
 * Redactor for one attempt at some work. Scans text immediately if that is cheap. For any other text, uses the result
 * of another thread (`known`, in the order of the calls). Without a result, records the text as wanted and returns the
 * text unchanged; the attempt must then be repeated.
 */
export class ScanAttempt implements Redactor {
  readonly isOn: boolean;
  readonly mark: Redactor["mark"];
  readonly digest: Redactor["digest"];
  readonly mayHoldMore: Redactor["mayHoldMore"];
  readonly #rules: Redactor;
  readonly #isCostlier: boolean;
  readonly #known: ScannedText[] | undefined;
  #wanted: ScanInput[] = [];
  #calls = 0;
  #left = AT_ONCE;
  /** Steps that this attempt took on the main thread. */
  steps = 0;

  /**
   * `isCostlier` is true if the organization has its own rules, which cost steps even without triggers. Without
   * `known`, the redactor throws SCAN_TAKES_LONG_ERROR for a costly text.
   */
  constructor(rules: Redactor, isCostlier: boolean, known?: ScannedText[]) {
    this.isOn = rules.isOn;
    this.mark = rules.mark;
    this.digest = rules.digest;
    this.mayHoldMore = rules.mayHoldMore;
    this.#rules = rules;
    this.#isCostlier = isCostlier;
    this.#known = known;
  }

  /** Starts the next step of the work, after other work ran on the main thread. */
  next(): void {
    this.#left = AT_ONCE;
  }

  /** Texts that another thread must scan before the next attempt. */
  wanted(): readonly ScanInput[] {
    return this.#wanted;
  }

  text(text: string, triggers?: readonly LiteralMatch[]): string {
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
  *inSlices(text: string, triggers?: readonly LiteralMatch[]): Generator<void, string> {
    return this.text(text, triggers);
  }

  blanked(text: string): string[] {
    if (!this.#isCheap(text)) throw SCAN_TAKES_LONG_ERROR;
    return this.#rules.blanked(text);
  }

  /** Deducts the steps of a text from the remaining steps; returns false if too few remain. */
  #isCheap(text: string, triggers?: readonly LiteralMatch[]): boolean {
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

  /**
   * Returns the known result for a text, or adds the text to `wanted`. An attempt makes the same calls as the previous
   * attempt, up to the first call that depends on a result that was unknown in the previous attempt. From that call on,
   * known results are discarded.
   */
  #putOff(asked: ScanInput): string {
    if (!this.#known) throw SCAN_TAKES_LONG_ERROR;
    const at = this.#calls++;
    const known = this.#wanted.length === 0 ? this.#known[at] : undefined;
    if (known && known.text === asked.text && known.name === asked.name) return known.redacted;
    if (this.#wanted.length === 0) this.#known.length = at;
    this.#wanted.push(asked);
    return asked.text;
  }
}
