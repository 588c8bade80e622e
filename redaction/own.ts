import { type Attempted, matchAt, Runs } from "./match.ts";
import { type Compiled, numberSets, OTHERS } from "./pattern.ts";
import { type Plain, sentPart } from "./plain.ts";
import type { Found } from "./token.ts";
import type { Work } from "./work.ts";

/** A pattern that is ready, and the kind of its matches. */
export interface Named {
  name: string;
  pattern: Compiled;
}

/** Every match has as many characters at least. */
const HEAD = 3;

/**
 * Up to 31 patterns, one bit each. One pass over a text looks for all of them: by the first three characters, only those patterns
 * are tried that may begin with them.
 */
export class OwnPatterns {
  readonly named: readonly Named[];
  /** By the place of a character in a match, and by the character: the patterns that may have it there. */
  readonly heads: readonly Uint32Array[];

  constructor(named: readonly Named[]) {
    this.named = named;
    numberSets(named.map(({ pattern }) => pattern));
    this.heads = Array.from({ length: HEAD }, (_, place) =>
      Uint32Array.from({ length: OTHERS + 1 }, (_, code) =>
        named.reduce((bits, { pattern }, index) => bits | ((pattern.heads[place]?.[code] ?? 0) << index), 0),
      ),
    );
  }

  begin(plain: Plain): OwnSearch {
    return new OwnSearch(this, plain);
  }
}

/** Characters that are read between two looks at the steps. */
const CHUNK = 8;
/** Characters that a native search for a literal passes in the time of a step. */
const CHARS_OF_STEP = 16;

/** Looks for the matches of patterns in one reading of a text. */
export class OwnSearch implements Work {
  readonly #own: OwnPatterns;
  readonly #plain: Plain;
  readonly #runs: Runs;
  readonly #found: Found[] = [];
  /** By pattern: where it may begin next. */
  readonly #next: Float64Array;
  /** The patterns whose literal the text holds. */
  #active = 0;
  #at = 0;
  #steps: number;

  constructor(own: OwnPatterns, plain: Plain) {
    this.#own = own;
    this.#plain = plain;
    this.#runs = new Runs(plain.text);
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
    return sentPart(this.#plain, this.#at, this.#at).start;
  }

  found(): Found[] {
    return this.#plain.places
      ? this.#found.map(({ start, end, kind }) => ({ ...sentPart(this.#plain, start, end), kind }))
      : this.#found;
  }

  advance(steps: number): boolean {
    const last = this.#active === 0 ? 0 : this.#plain.text.length - HEAD + 1;
    while (this.#at < last && this.steps < steps) this.#read(Math.min(last, this.#at + CHUNK));
    return this.#at >= last;
  }

  /** Looks at each place up to one. */
  #read(last: number): void {
    const { text } = this.#plain;
    const active = this.#active;
    const [first, second, third] = this.#own.heads as [Uint32Array, Uint32Array, Uint32Array];
    this.#steps += last - this.#at;
    for (let at = this.#at; at < last; at += 1) {
      const bits = active & (first[codeAt(text, at)] ?? 0);
      if (bits === 0) continue;
      const both = bits & (second[codeAt(text, at + 1)] ?? 0) & (third[codeAt(text, at + 2)] ?? 0);
      if (both !== 0) this.#try(both, at);
    }
    this.#at = last;
  }

  #try(bits: number, at: number): void {
    for (let left = bits; left !== 0; left &= left - 1) {
      const index = 31 - Math.clz32(left & -left);
      this.#steps += 1;
      if ((this.#next[index] ?? 0) > at) continue;
      const { name, pattern } = this.#own.named[index] as Named;
      const { end, next }: Attempted = matchAt(pattern, this.#runs, at);
      this.#next[index] = next;
      if (end > at) this.#keep({ start: at, end, kind: name });
    }
  }

  /** Keeps a match; one that overlaps others is one with them. */
  #keep(next: Found): void {
    const before = this.#found.at(-1);
    if (!before || next.start >= before.end) this.#found.push(next);
    else before.end = Math.max(before.end, next.end);
  }
}

function codeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < OTHERS ? code : OTHERS;
}
