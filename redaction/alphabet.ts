/** Sets of ASCII characters, one bit each. */
const ALPHABETS = {
  digit: "0-9",
  hex: "0-9a-f",
  base32: "A-Z2-7",
  upper: "A-Z0-9",
  alnum: "0-9A-Za-z",
  word: "0-9A-Za-z_-",
  base64: "0-9A-Za-z+/",
  /** RFC 9110's token68, as credentials of a header are spelled. */
  token68: "0-9A-Za-z._~+/=-",
  pad: "=",
} as const;

/** The name of a set. */
export type Alphabet = keyof typeof ALPHABETS;

const NAMES = Object.keys(ALPHABETS) as Alphabet[];
const BITS = new Uint16Array(128);
for (const [bit, name] of NAMES.entries()) {
  const set = new RegExp(`[${ALPHABETS[name]}]`);
  for (let code = 0; code < 128; code += 1)
    if (set.test(String.fromCharCode(code))) BITS[code] = (BITS[code] ?? 0) | (1 << bit);
}

/** The bit of a set. */
export const bitOf = (name: Alphabet): number => 1 << NAMES.indexOf(name);

/** Reports whether a character, by its code, is in the set of a bit. */
export const isIn = (code: number, bit: number): boolean => code < 128 && ((BITS[code] ?? 0) & bit) !== 0;

const ALNUM = bitOf("alnum");
/** Reports whether a character is an ASCII letter or digit. */
export const isAlnum = (code: number): boolean => isIn(code, ALNUM);
