/** Alphabets of key formats. */
export const DIGITS = "0123456789";
export const HEX = "0123456789abcdef";
export const LOWER = "abcdefghijklmnopqrstuvwxyz";
export const UPPER = LOWER.toUpperCase();
export const ALNUM = DIGITS + LOWER + UPPER;
export const WORD = `${ALNUM}_-`;
export const BASE64 = `${ALNUM}+/`;
export const BASE32 = `${UPPER}234567`;

/** A seeded random generator: the same seed gives the same corpus on every machine. */
export interface Random {
  /** Returns an integer from 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(list: readonly T[]): T;
  chars(alphabet: string, length: number): string;
}

/** Algorithm: mulberry32. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    chars: (alphabet, length) => Array.from({ length }, () => alphabet[below(alphabet.length)]).join(""),
  };
}
