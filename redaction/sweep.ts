import { type PlainText, toSentRange } from "./plain.ts";
import type { FoundSecret } from "./token.ts";
import type { PausableWork } from "./work.ts";

/**
 * Work that runs in one go, at a fixed number of steps per character. The regular expressions of the work read no text
 * twice.
 */
export class Sweep implements PausableWork {
  readonly #plain: PlainText;
  readonly #search: (text: string) => FoundSecret[];
  readonly #cost: number;
  #found: FoundSecret[] | undefined;

  constructor(plain: PlainText, search: (text: string) => FoundSecret[], cost: number) {
    this.#plain = plain;
    this.#search = search;
    this.#cost = cost;
  }

  get steps(): number {
    return this.#found ? this.#cost * this.#plain.text.length : 0;
  }

  get at(): number {
    return 0;
  }

  advance(): boolean {
    this.#found ??= this.#search(this.#plain.text);
    return true;
  }

  found(): FoundSecret[] {
    return (this.#found ?? []).map(({ start, end, kind }) => ({ ...toSentRange(this.#plain, start, end), kind }));
  }
}
