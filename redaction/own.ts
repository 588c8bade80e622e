import { CharacterRuns, type MatchAttempt, matchAt } from "./match.ts";
import { assignSetIds, type CompiledPattern, NON_ASCII } from "./pattern.ts";
import { type PlainText, toSentRange } from "./plain.ts";
import type { FoundSecret } from "./token.ts";
import type { PausableTextScan } from "./work.ts";

/** Compiled pattern, and the kind of its matches. */
export interface NamedPattern {
  name: string;
  pattern: CompiledPattern;
}

/** Minimum length of every match. */
const HEAD = 3;

/**
 * Up to 31 patterns that are searched in one pass. Each pattern has one bit in a 32-bit number. At each position, the
 * search tries only the patterns that may begin with the next three characters.
 */
export class CustomPatternSet {
  readonly named: readonly NamedPattern[];
  /**
   * Indexed by the position in a match and the character code: a number with the bits of the patterns that allow the
   * character at this position.
   */
  readonly heads: readonly Uint32Array[];

  constructor(named: readonly NamedPattern[]) {
    this.named = named;
    assignSetIds(named.map(({ pattern }) => pattern));
    this.heads = Array.from({ length: HEAD }, (_, place) =>
      Uint32Array.from({ length: NON_ASCII + 1 }, (_, code) =>
        named.reduce((bits, { pattern }, index) => bits | ((pattern.heads[place]?.[code] ?? 0) << index), 0),
      ),
    );
  }

  begin(plain: PlainText): CustomPatternSearch {
    return new CustomPatternSearch(this, plain);
  }
}

/** Number of characters that the search reads between two checks of the step budget. */
const CHUNK = 8;
/** Number of characters that the native `indexOf` searches in the time of one step. */
const CHARS_OF_STEP = 16;

/** Search of one version of a text for matches of the patterns. */
export class CustomPatternSearch implements PausableTextScan {
  readonly #own: CustomPatternSet;
  readonly #plain: PlainText;
  readonly #runs: CharacterRuns;
  readonly #found: FoundSecret[] = [];
  /** Next position at which each pattern may begin. */
  readonly #next: Float64Array;
  /** Number with the bits of the patterns whose literal occurs in the text. */
  #active = 0;
  #at = 0;
  #steps: number;

  constructor(own: CustomPatternSet, plain: PlainText) {
    this.#own = own;
    this.#plain = plain;
    this.#runs = new CharacterRuns(plain.text);
    this.#next = new Float64Array(own.named.length);
    this.#steps = Math.ceil((own.named.length * plain.text.length) / CHARS_OF_STEP);
    for (const [index, { pattern }] of own.named.entries()) {
      const from = plain.text.indexOf(pattern.literal);
      if (from < 0) continue;
      this.#active |= 1 << index;
      if (pattern.isLed) this.#next[index] = from;
    }
  }

  get steps(): number {
    return this.#steps + this.#runs.steps;
  }

  get at(): number {
    return toSentRange(this.#plain, this.#at, this.#at).start;
  }

  found(): FoundSecret[] {
    return this.#plain.places
      ? this.#found.map(({ start, end, kind }) => ({ ...toSentRange(this.#plain, start, end), kind }))
      : this.#found;
  }

  advance(steps: number): boolean {
    const last = this.#active === 0 ? 0 : this.#plain.text.length - HEAD + 1;
    while (this.#at < last && this.steps < steps) this.#read(Math.min(last, this.#at + CHUNK));
    return this.#at >= last;
  }

  /** Examines every position before `last`. */
  #read(last: number): void {
    const { text } = this.#plain;
    const active = this.#active;
    const [first, second, third] = this.#own.heads as [Uint32Array, Uint32Array, Uint32Array];
    this.#steps += last - this.#at;
    for (let at = this.#at; at < last; at += 1) {
      const bits = active & (first[readCode(text, at)] ?? 0);
      if (bits === 0) continue;
      const both = bits & (second[readCode(text, at + 1)] ?? 0) & (third[readCode(text, at + 2)] ?? 0);
      if (both !== 0) this.#try(both, at);
    }
    this.#at = last;
  }

  #try(bits: number, at: number): void {
    for (let left = bits; left !== 0; left &= left - 1) {
      const index = 31 - Math.clz32(left & -left);
      this.#steps += 1;
      if ((this.#next[index] ?? 0) > at) continue;
      const { name, pattern } = this.#own.named[index] as NamedPattern;
      const { end, next }: MatchAttempt = matchAt(pattern, this.#runs, at);
      this.#next[index] = next;
      if (end > at) this.#keep({ start: at, end, kind: name });
    }
  }

  /** Keeps a match. Overlapping matches become one. */
  #keep(next: FoundSecret): void {
    const before = this.#found.at(-1);
    if (!before || next.start >= before.end) this.#found.push(next);
    else before.end = Math.max(before.end, next.end);
  }
}

function readCode(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < NON_ASCII ? code : NON_ASCII;
}
