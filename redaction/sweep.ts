import { type Plain, sentPart } from "./plain.ts";
import type { Found } from "./token.ts";
import type { Work } from "./work.ts";

/** Work that is done in one go, of so many steps for each character and each find: its regular expressions read no text twice. */
export class Sweep implements Work {
  readonly #plain: Plain;
  readonly #search: (text: string) => Found[];
  readonly #cost: number;
  #found: Found[] | undefined;

  constructor(plain: Plain, search: (text: string) => Found[], cost: number) {
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

  found(): Found[] {
    return (this.#found ?? []).map(({ start, end, kind }) => ({ ...sentPart(this.#plain, start, end), kind }));
  }
}
