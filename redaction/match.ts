import { type Compiled, type Item, OTHERS } from "./pattern.ts";

/** The ends of the runs of sets in a text: each is read once, however many attempts begin in it. */
export class Runs {
  steps = 0;
  readonly text: string;
  /** By set. */
  readonly #from: number[] = [];
  readonly #end: number[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** The end of the run from here on, as far as `most`. */
  end({ set, id }: Item & { type: "set" }, from: number, most: number): number {
    const last = Math.min(this.text.length, most);
    const known = this.#end[id] ?? 0;
    const isWithin = from >= (this.#from[id] ?? 0) && from <= known;
    const begin = isWithin ? known : from;
    if (begin >= last) return last;
    let end = begin;
    while (end < last && set[Math.min(this.text.charCodeAt(end), OTHERS)] === 1) end += 1;
    this.steps += end - begin;
    if (!isWithin) this.#from[id] = from;
    this.#end[id] = end;
    return end;
  }
}

/** The end of a match that begins here, or -1; and the first place after it at which another may begin. */
export interface Attempted {
  end: number;
  next: number;
}

/** Tries a pattern at one place. */
export function matchAt({ items }: Compiled, runs: Runs, start: number): Attempted {
  let end = start;
  let next = start + 1;
  for (let place = 0; place < items.length; place += 1) {
    const item = items[place] as Item;
    runs.steps += 1;
    if (item.type === "boundary") end = isBoundary(runs.text, end) ? end : -1;
    else if (item.type === "words") end = wordEnd(item, runs, end);
    else {
      const [from, most] = [end, item.runsOn && place === items.length - 1 ? Infinity : end + item.most];
      const stop = runs.end(item, from, most);
      // The text behind the run of a first part stands there for all that begin in it.
      if (place === 0 && stop < most) next = Math.max(next, stop);
      end = stop - from >= item.least ? stop : -1;
    }
    if (end < 0) break;
  }
  return { end, next: Math.max(next, end) };
}

const isWordChar = (text: string, at: number) => /\w/.test(text.charAt(at));
const isBoundary = (text: string, at: number) => isWordChar(text, at - 1) !== isWordChar(text, at);

function wordEnd({ words, isOptional }: Item & { type: "words" }, runs: Runs, at: number): number {
  for (const word of words) {
    runs.steps += 1;
    if (!runs.text.startsWith(word, at)) continue;
    runs.steps += word.length;
    return at + word.length;
  }
  return isOptional ? at : -1;
}
