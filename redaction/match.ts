import { type CompiledPattern, NON_ASCII, type PatternItem } from "./pattern.ts";

/**
 * Finds the ends of runs in a text. A run is a sequence of characters from one set. Each run is read only once, even if
 * many match attempts begin inside the run.
 */
export class CharacterRuns {
  steps = 0;
  readonly text: string;
  /** Start and end of the last run that was read, indexed by the id of the character set. */
  readonly #from: number[] = [];
  readonly #end: number[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** Returns the end of the run that begins at `from`, but at most the position `most`. */
  end({ set, id }: PatternItem & { type: "set" }, from: number, most: number): number {
    const last = Math.min(this.text.length, most);
    const known = this.#end[id] ?? 0;
    const isWithin = from >= (this.#from[id] ?? 0) && from <= known;
    const begin = isWithin ? known : from;
    if (begin >= last) return last;
    let end = begin;
    while (end < last && set[Math.min(this.text.charCodeAt(end), NON_ASCII)] === 1) end += 1;
    this.steps += end - begin;
    if (!isWithin) this.#from[id] = from;
    this.#end[id] = end;
    return end;
  }
}

/**
 * Result of a match attempt: the end of the match, or -1 if there is no match; and the next position at which another
 * match may begin.
 */
export interface MatchAttempt {
  end: number;
  next: number;
}

/** Tries to match a pattern at one position. */
export function matchAt({ items }: CompiledPattern, runs: CharacterRuns, start: number): MatchAttempt {
  let end = start;
  let next = start + 1;
  for (let place = 0; place < items.length; place += 1) {
    const item = items[place] as PatternItem;
    runs.steps += 1;
    if (item.type === "boundary") end = isBoundary(runs.text, end) ? end : -1;
    else if (item.type === "words") end = wordEnd(item, runs, end);
    else {
      const [from, most] = [end, item.runsOn && place === items.length - 1 ? Infinity : end + item.most];
      const stop = runs.end(item, from, most);
      // An attempt that begins inside this run reaches the same end of the run and then reads the same text, so such an
      // attempt cannot succeed if this attempt fails. The next attempt therefore begins after the run.
      if (place === 0 && stop < most) next = Math.max(next, stop);
      end = stop - from >= item.least ? stop : -1;
    }
    if (end < 0) break;
  }
  return { end, next: Math.max(next, end) };
}

const isWordChar = (text: string, at: number) => /\w/.test(text.charAt(at));
const isBoundary = (text: string, at: number) => isWordChar(text, at - 1) !== isWordChar(text, at);

function wordEnd({ words, isOptional }: PatternItem & { type: "words" }, runs: CharacterRuns, at: number): number {
  for (const word of words) {
    runs.steps += 1;
    if (!runs.text.startsWith(word, at)) continue;
    runs.steps += word.length;
    return at + word.length;
  }
  return isOptional ? at : -1;
}
