import { ALNUM, DIGITS, HEX, LOWER, type Random, random, UPPER } from "./random.ts";

/** An output that contains a single piece of personal data. */
export interface PersonalSample {
  kind: string;
  text: string;
  value: string;
}

const COUNTRIES: readonly (readonly [country: string, length: number, alphabet: string])[] = [
  ["DE", 22, DIGITS],
  ["GB", 22, DIGITS + UPPER],
  ["FR", 27, DIGITS + UPPER],
  ["NO", 15, DIGITS],
  ["CH", 21, DIGITS],
  ["MT", 31, DIGITS + UPPER],
];

/** ISO 13616: the check digits are 98 minus the remainder of the other digits divided by 97. */
function iban(source: Random): string {
  const [country, length, alphabet] = source.pick(COUNTRIES);
  const account = source.chars(alphabet, length - 4);
  const digits = [...`${account}${country}00`].map((char) => Number.parseInt(char, 36)).join("");
  const check = String(98n - (BigInt(digits) % 97n)).padStart(2, "0");
  return source.pick([country + check + account, (country + check + account).replaceAll(/(.{4})(?=.)/g, "$1 ")]);
}

/** ISO 7812: the last digit makes the Luhn sum a multiple of ten. */
function card(source: Random): string {
  const [prefix, length] = source.pick([
    ["4", 16],
    ["51", 16],
    ["55", 16],
    ["37", 15],
    ["6011", 16],
  ] as const);
  const body = prefix + source.chars(DIGITS, length - 1 - prefix.length);
  const sum = [...body].reverse().reduce((total, char, at) => {
    const digit = Number(char) * (at % 2 === 0 ? 2 : 1);
    return total + (digit > 9 ? digit - 9 : digit);
  }, 0);
  const digits = body + String((10 - (sum % 10)) % 10);
  const grouped = digits.replace(
    length === 15 ? /(.{4})(.{6})/ : /(.{4})(.{4})(.{4})/,
    (_, ...groups) => `${groups.slice(0, length === 15 ? 2 : 3).join(" ")} `,
  );
  return source.pick([digits, grouped, grouped.replaceAll(" ", "-")]);
}

const MAKE: Readonly<Record<string, (source: Random) => string>> = {
  email: (source) =>
    `${source.chars(LOWER, 5)}${source.pick([".", "_", "+", ""])}${source.chars(ALNUM, 4)}@${source.pick(["", "mail."])}${source.chars(LOWER, 8)}.${source.pick(["com", "co.uk", "de", "io", "museum"])}`,
  phone: (source) => {
    const digits = (count: number) => source.chars("23456789", count);
    return source.pick([
      `+49 ${digits(3)} ${digits(7)}`,
      `+1 (${digits(3)}) ${digits(3)}-${digits(4)}`,
      `+44${digits(10)}`,
      `(${digits(3)}) ${digits(3)}-${digits(4)}`,
      `${digits(3)}-${digits(3)}-${digits(4)}`,
      `+33 ${digits(1)} ${digits(2)} ${digits(2)} ${digits(2)} ${digits(2)}`,
    ]);
  },
  iban,
  "card-number": card,
};

const OUTPUTS: readonly ((value: string, source: Random) => string)[] = [
  (value) => `The customer can be reached at ${value}.`,
  (value) => JSON.stringify({ rows: [{ id: 17, contact: value, active: true }] }),
  (value) => JSON.stringify({ stdout: JSON.stringify({ line: `a\n${value}\nb` }) }),
  (value, source) => `id,contact,total\n${source.below(9e6)},${value},12.50\n`,
  (value) => `2026-03-04T05:06:07.890Z INFO  lookup contact=${value} took=12ms`,
  (value) => `<td>${value}</td>`,
  (value) => `insert into person values (1, '${value}', true);`,
  (value, source) => `${source.chars(HEX, 40)} ${value} <- ${source.chars(HEX, 8)}`,
];

/** Returns six hundred tool outputs with personal data. The result is the same on every call. */
export function personalCorpus(): PersonalSample[] {
  const source = random(20_260_102);
  return Object.entries(MAKE).flatMap(([kind, make]) =>
    Array.from({ length: 150 }, (_, index) => {
      const value = make(source);
      return { kind, value, text: OUTPUTS[index % OUTPUTS.length]?.(value, source) ?? "" };
    }),
  );
}

/** Lines with numbers and signs that are no personal data. */
export const IMPERSONAL: readonly ((source: Random) => string)[] = [
  (source) =>
    `order ${source.chars(DIGITS, 10)} of ${1_700_000_000_000 + source.below(1e9)}, batch ${source.chars(DIGITS, 12)}`,
  (source) => `took ${source.below(1e9)}.${source.chars(DIGITS, 9)} s at ${1_700_000_000 + source.below(1e9)}`,
  (source) =>
    `v${source.below(99)}.${source.below(99)}.${source.below(9999)} 10.${source.below(255)}.${source.below(255)}.1:8080`,
  (source) => [8, 4, 4, 4, 12].map((length) => source.chars(HEX, length)).join("-"),
  (source) => `2026-0${1 + source.below(9)}-1${source.below(9)} 12:34:56+0200 1${source.chars(DIGITS, 18)}`,
  (source) => `+${source.below(1e9)}\n-${source.below(1e9)}\n+    total += ${source.below(1e9)};`,
  (source) =>
    `lodash@4.17.${source.below(99)} @types/node@20.${source.below(99)}.1 logo@2x.png git@github.com:acme/shop.git`,
  (source) => `"integrity": "sha512-${source.chars(`${ALNUM}+/`, 86)}=="`,
  (source) =>
    `SKU ${source.chars(UPPER, 2)}${source.chars(DIGITS, 2)}${source.chars(DIGITS + UPPER, 12)} ${source.chars(UPPER, 26)}`,
  (source) =>
    `at Object.<anonymous> (/srv/app/index.js:${source.below(9999)}:${source.below(99)}) 0x${source.chars(HEX, 16)}`,
  (source) =>
    `@media (max-width: ${source.below(999)}px) { .a { margin: -${source.below(99)}px } } ${source.below(1e9)} + ${source.below(1e9)}`,
];
