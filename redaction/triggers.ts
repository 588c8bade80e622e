/** A text that is searched for, in any case or as it stands. */
export interface Literal {
  text: string;
  anyCase: boolean;
}

/** A place where a literal stands, by its index. */
export interface Trigger {
  at: number;
  literal: number;
}

/** A part of bytes; `words` are the same bytes by fours. */
export interface Range {
  bytes: Buffer;
  words: Int32Array;
  from: number;
  to: number;
}

/** Finds literals in bytes. */
export interface Search {
  all(range: Range): Trigger[];
  /** Reports whether there is any. */
  any(range: Range): boolean;
}

/** Letters of code and prose, the most frequent first; whatever is not among them is rare. */
const FREQUENT = " etaonirslcdupmhfgbyv.,\"'/:-_=();x01w2k";
/** Pairs that are met often although one of their letters is not. */
const PAIRS_MET_OFTEN =
  "th he ho ha hi wh in er re on an en es ed ar ea ec de ic ti al te ck ke ph ou me co pa st qu be to or at is";

interface Entry {
  literal: number;
  offset: number;
}

/** The codes of a literal's characters, in either case where that does not matter. */
interface Spelling {
  low: Uint8Array;
  high: Uint8Array;
}

/**
 * Prepares a search for all literals at once. It looks at every second pair of bytes. Each literal is known by two of its pairs,
 * its rarest at an even place and its rarest at an odd one, so that one of them is met wherever the literal begins.
 */
export function searchFor(literals: readonly Literal[]): Search {
  const marked = new Uint8Array(65_536);
  const entries: Entry[][] = [];
  for (const [literal, { text, anyCase }] of literals.entries()) {
    for (const offset of [rarestPair(text, 0), rarestPair(text, 1)]) {
      for (const pair of pairsAt(text, offset, anyCase)) {
        if (marked[pair] === 0) marked[pair] = entries.push([]);
        entries[(marked[pair] ?? 0) - 1]?.push({ literal, offset });
      }
    }
  }
  if (entries.length > 255) throw new Error("the pairs of the literals do not fit a byte");
  const table = { marked, entries, spellings: literals.map(spellingOf) };
  return { all: (range) => search(table, range, false), any: (range) => search(table, range, true).length > 0 };
}

interface Table {
  /** By pair: 0, or one more than the place of its entries. */
  marked: Uint8Array;
  entries: readonly (readonly Entry[])[];
  spellings: readonly Spelling[];
}

function search(table: Table, range: Range, isFirstEnough: boolean): Trigger[] {
  const { marked } = table;
  const { words } = range;
  const found: Trigger[] = [];
  const last = Math.min(words.length, (range.to + 3) >> 2);
  for (let index = range.from >> 2; index < last; index += 1) {
    const word = words[index] ?? 0;
    const low = marked[word & 0xffff] ?? 0;
    const high = marked[word >>> 16] ?? 0;
    if ((low | high) === 0) continue;
    if (low !== 0) check(table, range, { entry: low - 1, place: index << 2, found });
    if (high !== 0) check(table, range, { entry: high - 1, place: (index << 2) + 2, found });
    if (isFirstEnough && found.length > 0) break;
  }
  return found.length > 1 ? found.sort((one, other) => one.at - other.at || one.literal - other.literal) : found;
}

/** Adds the literals that stand around a pair. */
function check(
  { entries, spellings }: Table,
  { bytes, from, to }: Range,
  { entry, place, found }: { entry: number; place: number; found: Trigger[] },
): void {
  const list = entries[entry] ?? [];
  for (let index = 0; index < list.length; index += 1) {
    const { literal, offset } = list[index] as Entry;
    const at = place - offset;
    const { low, high } = spellings[literal] as Spelling;
    if (at >= from && at + low.length <= to && stands(bytes, at, low, high)) found.push({ at, literal });
  }
}

function stands(bytes: Buffer, at: number, low: Uint8Array, high: Uint8Array): boolean {
  for (let index = 0; index < low.length; index += 1) {
    const byte = bytes[at + index];
    if (byte !== low[index] && byte !== high[index]) return false;
  }
  return true;
}

const spellingOf = ({ text, anyCase }: Literal): Spelling => ({
  low: Buffer.from(anyCase ? text.toLowerCase() : text),
  high: Buffer.from(anyCase ? text.toUpperCase() : text),
});

function rarestPair(text: string, parity: number): number {
  const offsets = Array.from({ length: text.length - 1 }, (_, at) => at).filter((at) => at % 2 === parity);
  const cost = (at: number) => costOf(text.slice(at, at + 2).toLowerCase());
  return offsets.reduce((best, at) => (cost(at) < cost(best) ? at : best));
}

/** The more often a pair is met, the more. */
function costOf(pair: string): number {
  if (PAIRS_MET_OFTEN.split(" ").includes(pair)) return FREQUENT.length ** 2;
  const [one, other] = [...pair].map((char) => {
    const place = FREQUENT.indexOf(char);
    return place < 0 ? 1 : FREQUENT.length + 1 - place;
  });
  return (one ?? 1) * (other ?? 1);
}

/** Pairs as they lie in memory, the first byte the lowest. */
function pairsAt(text: string, at: number, anyCase: boolean): Set<number> {
  const { low, high } = spellingOf({ text: text.slice(at, at + 2), anyCase });
  const codes = (place: number) => [low[place] ?? 0, high[place] ?? 0];
  return new Set(codes(0).flatMap((first) => codes(1).map((second) => first | (second << 8))));
}

const SMALL = 64 * 1024;
const small = new Int32Array(SMALL / 4);

/**
 * The code units of a text as bytes, aligned by fours. A unit beyond Latin-1 keeps its low byte alone: it may look like
 * another one, which whoever reads the text itself finds out.
 */
export function bytesOf(text: string): Range {
  const words = text.length <= SMALL ? small : new Int32Array((text.length + 3) >> 2);
  const bytes = Buffer.from(words.buffer, 0, words.byteLength);
  bytes.write(text, "latin1");
  return { bytes, words, from: 0, to: text.length };
}
