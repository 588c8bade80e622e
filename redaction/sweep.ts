import { type PlainText, toSentRange } from "./plain.ts";
import type { FoundSecret } from "./token.ts";
import type { PausableTextScan } from "./work.ts";

/**
 * Search that runs without a pause and takes a fixed number of steps per character. The regular expressions of the
 * search read no text twice.
 */
export class SinglePassScan implements PausableTextScan {
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
