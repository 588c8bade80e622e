/** Text to search for, in any case or exactly as written. */
export interface SearchLiteral {
  text: string;
  anyCase: boolean;
}

/** Position at which a literal was found, and the index of the literal. */
export interface LiteralMatch {
  at: number;
  literal: number;
}

/** Range of bytes. `words` contains the same bytes as 32-bit integers. */
export interface ByteRange {
  bytes: Buffer;
  words: Int32Array;
  from: number;
  to: number;
}

/** Searches for literals in bytes. */
export interface LiteralSearch {
  all(range: ByteRange): LiteralMatch[];
  /** Returns true if the range contains any literal. */
  any(range: ByteRange): boolean;
}

/** Characters of code and prose, the most frequent first. All other characters are rare. */
const FREQUENT = " etaonirslcdupmhfgbyv.,\"'/:-_=();x01w2k";
/**
 * The most frequent pairs of characters, in descending order. The pairs were counted in the sources and text of
 * `node_modules` and in Trackway's own pages.
 */
const FREQUENT_PAIRS = [
  "  e onerrein torths t esenteattist a, cohedentlesen ioar insalan: itisetmepe sro cd edctngrir ecrandomto otr f r== =",
  "veextartaslipogeurneod= ma {cech *ea epa p//ac nll) uencuns. dfi* amemtsouelttypf  w } ( b);y imrsutulsso opsicatyha",
  " mils:e.lohihticg apnompvalasoa preffo--psustpnaadptagieoltubediidxpotrrl rnifplmi##luofjs.c usu:/ig [h gioc l- ckum",
  "m  |ke|  vowblReabwicl()** h 's/. t.ir](dascqu#  Ae( /ltfaxt/ do Tubmospe,aiConucrldm/rgivshooephofrfuniry(hppbaruls",
  "e:ay -eqrcbu Sossa> s,.se)t({ eviahulyw ew gThdsjeIn/gcuPrTyaur.ddipe- C})vibjeeovobrmfeui)) Ipuups)b.1.wabonpog..=>",
  ".0gr} mbnf/*St.td.egpi 1tc/c).whNo*/t,),Mardt-ciDeey O R 2mmScavr(.j.m20ib(t/soi.i00rv0.iz P(' M _t/Pa.pbifft:')e/du",
  "(e./SeFi D/ipht)gsn.we/as-.ogu 0gh',-cVak /p E.d] nv.1msucZoON krl/bhr/ds( @ Fpm yzewngn):woc r,';-s Uebg.nkExp Opnl",
  "Libyr)2.okixbr $.l?:e]Meoa}, BObNayokin(.gganyrkx ;  Nuar/Ersyak.edl(se;wrd)nndrug.n0,10wsrfn-0 cc};eScs01ysmud: <__",
].join("");

/** Byte codes of a literal's characters in lower and upper case. Both are equal if case matters. */
interface Spelling {
  low: Uint8Array;
  high: Uint8Array;
}

/**
 * Prepares one search for all literals. The search reads the pairs of bytes at even positions of the text. Each literal
 * is registered by two of its pairs, the rarest at an even offset and the rarest at an odd offset, so one of them is
 * always at an even position.
 */
export function createSearch(literals: readonly SearchLiteral[]): LiteralSearch {
  const marked = new Uint16Array(65_536);
  const buckets = Array.from({ length: BUCKETS }, () => new Map<string, number[]>());
  let pairs = 0;
  for (const [literal, spelling] of literals.entries()) {
    for (const offset of [rarestPair(spelling.text, 0), rarestPair(spelling.text, 1)]) {
      for (const pair of pairsAt(spelling.text, offset, spelling.anyCase)) {
        if (marked[pair] === 0) marked[pair] = 1 + (pairs++ % (BUCKETS - 1));
        buckets[marked[pair] ?? 0]?.set(`${literal} ${offset}`, entryOf(literal, spelling, offset));
      }
    }
  }
  const table = {
    marked,
    buckets: buckets.map((bucket) => Int32Array.from([...bucket.values()].flat())),
    spellings: literals.map(toSpelling),
  };
  return { all: (range) => search(table, range, false), any: (range) => search(table, range, true).length > 0 };
}

/**
 * Number of buckets. Bucket 0 means that a pair has no bucket. If there are more pairs than buckets, several pairs
 * share a bucket.
 */
const BUCKETS = 2048;
/**
 * Count of numbers in one entry: position and two codes of the first character to check, index of the literal, and
 * offset of the pair in the literal.
 */
const ENTRY = 5;

/**
 * Creates the entry of a literal. The first character to check is the literal's rarest character outside the pair,
 * because a comparison with this character nearly always decides whether the literal is present.
 */
function entryOf(literal: number, { text, anyCase }: SearchLiteral, offset: number): number[] {
  const others = Array.from({ length: text.length }, (_, at) => at).filter((at) => at < offset || at > offset + 1);
  const at = others.reduce((best, other) =>
    getFrequency(text.charAt(other)) < getFrequency(text.charAt(best)) ? other : best,
  );
  const { low, high } = toSpelling({ text: text.charAt(at), anyCase });
  return [at - offset, low[0] ?? 0, high[0] ?? 0, literal, offset];
}

interface Table {
  /** Bucket of each pair, or 0. */
  marked: Uint16Array;
  buckets: readonly Int32Array[];
  spellings: readonly Spelling[];
}

function search(table: Table, range: ByteRange, isFirstEnough: boolean): LiteralMatch[] {
  const { marked, buckets } = table;
  const { words } = range;
  const found: LiteralMatch[] = [];
  const last = Math.min(words.length, (range.to + 3) >> 2);
  for (let index = range.from >> 2; index < last; index += 1) {
    const word = words[index] ?? 0;
    const low = marked[word & 0xffff] ?? 0;
    const high = marked[word >>> 16] ?? 0;
    if ((low | high) === 0) continue;
    const place = index << 2;
    if (low !== 0 && mayStand(buckets[low] as Int32Array, range, place))
      check(table, range, { bucket: low, place, found });
    if (high !== 0 && mayStand(buckets[high] as Int32Array, range, place + 2))
      check(table, range, { bucket: high, place: place + 2, found });
    if (isFirstEnough && found.length > 0) break;
  }
  return found.length > 1 ? found.sort((one, other) => one.at - other.at || one.literal - other.literal) : found;
}

/** Returns true if the first character to check of any literal in the bucket stands at its position near the pair. */
function mayStand(bucket: Int32Array, { bytes, from, to }: ByteRange, place: number): boolean {
  for (let index = 0; index < bucket.length; index += ENTRY) {
    const at = place + (bucket[index] ?? 0);
    if (at < from || at >= to) continue;
    const code = bytes[at];
    if (code === bucket[index + 1] || code === bucket[index + 2]) return true;
  }
  return false;
}

/** Adds the literals that stand around a pair. */
function check(
  { buckets, spellings }: Table,
  { bytes, from, to }: ByteRange,
  { bucket, place, found }: { bucket: number; place: number; found: LiteralMatch[] },
): void {
  const entries = buckets[bucket] as Int32Array;
  for (let index = 0; index < entries.length; index += ENTRY) {
    const literal = entries[index + 3] ?? 0;
    const at = place - (entries[index + 4] ?? 0);
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

const toSpelling = ({ text, anyCase }: SearchLiteral): Spelling => ({
  low: Buffer.from(anyCase ? text.toLowerCase() : text),
  high: Buffer.from(anyCase ? text.toUpperCase() : text),
});

function rarestPair(text: string, parity: number): number {
  const offsets = Array.from({ length: text.length - 1 }, (_, at) => at).filter((at) => at % 2 === parity);
  const cost = (at: number) => costOf(text.slice(at, at + 2));
  return offsets.reduce((best, at) => (cost(at) < cost(best) ? at : best));
}

/** Returns a higher cost for a more frequent pair. */
function costOf(pair: string): number {
  for (let at = 0; at < FREQUENT_PAIRS.length; at += 2)
    if (FREQUENT_PAIRS.startsWith(pair, at)) return MOST_COST * (FREQUENT_PAIRS.length + 1 - at);
  return [...pair].reduce((cost, char) => cost * getFrequency(char), 1);
}

/** Factor that makes the cost of a frequent pair higher than the cost of any rare pair. */
const MOST_COST = FREQUENT.length ** 2;

/** Returns a higher number for a more frequent character. */
function getFrequency(char: string): number {
  const place = FREQUENT.indexOf(char.toLowerCase());
  return place < 0 ? 1 : FREQUENT.length + 1 - place;
}

/**
 * Returns the pair at the offset as 16-bit numbers, with one number per combination of lower and upper case. The first
 * byte is the low byte, as in memory.
 */
function pairsAt(text: string, at: number, anyCase: boolean): Set<number> {
  const { low, high } = toSpelling({ text: text.slice(at, at + 2), anyCase });
  const codes = (place: number) => [low[place] ?? 0, high[place] ?? 0];
  return new Set(codes(0).flatMap((first) => codes(1).map((second) => first | (second << 8))));
}

const SMALL = 64 * 1024;
const small = new Int32Array(SMALL / 4);

/**
 * Converts a text to bytes, one per UTF-16 code unit, aligned to four bytes. A code unit beyond Latin-1 keeps only its
 * low byte and may look like another character. Code that reads the text must therefore check each match.
 */
export function toLatin1ByteRange(text: string): ByteRange {
  const words = text.length <= SMALL ? small : new Int32Array((text.length + 3) >> 2);
  const bytes = Buffer.from(words.buffer, 0, words.byteLength);
  bytes.write(text, "latin1");
  return { bytes, words, from: 0, to: text.length };
}
