import type { FoundSecret } from "./token.ts";

/** Country code and length of the country's IBANs, from SWIFT's registry. */
const IBAN_LENGTHS = new Map(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
  FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
  LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
  RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((each) => [each.slice(0, 2), Number(each.slice(2))]),
);

/**
 * No letter or digit precedes the IBAN, except the letter of an escape such as `\n`. The cheap lookahead comes first.
 */
const IBAN = /(?=[A-Z]{2}\d)(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}/g;
const CARD =
  /(?=[2-6]\d{3})(?:(?<![\w.+-])|(?<=\\[nrt]))\d{4}(?:([ -]?)\d{4}\1\d{4}\1\d{4}|([ -]?)\d{6}\2\d{5})(?![\w-]|\.\d)/g;
/** Number prefixes of the issuers Visa, Mastercard, Discover, UnionPay and JCB. */
const ISSUER = /^(?:4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|6(?:011|4[4-9]|5|2)|35(?:2[89]|[3-8]))\d+$/;
const AMEX = /^3[47]\d{13}$/;

/**
 * Forms of telephone numbers: with a country code, in North American form, or with a leading zero. The last form needs
 * a preceding word such as "phone".
 */
const PHONES = [
  /\+(?=[1-9])(?:(?<![\w+.-]\+)|(?<=\\[nrt]\+))[1-9](?:[ ()./-]{0,3}\d){7,14}(?![\w-])/g,
  /(?=\(?[2-9]\d\d[)-])(?:(?<![\w+.-])|(?<=\\[nrt]))(?:\([2-9]\d\d\) ?|[2-9]\d\d-)[2-9]\d\d-\d{4}(?![\w-]|\.\d)/g,
  /0(?=0?[1-9])(?<![\w.+-]0)0?[1-9](?:[ ./-]?\d){6,13}(?![\w-])/g,
];
const PHONE_WORD = /(?:tele(?:ph|f)on[ei]?|tel|phone|mobile?|fax)[\w ]{0,12}["'\\]{0,3}[.:=]{0,2}[ "'\\]{0,4}$/i;

const LOCAL = /[\w.+%-]/;
const DOMAIN = /(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}([a-z]{2,24})(?![\w-])/iy;
/** Endings that are not domains of email addresses: file extensions, and top-level domains that nobody owns. */
const NO_DOMAIN =
  /^(?:png|jpe?g|gif|webp|svg|ico|css|[cm]?[jt]sx?|json|md|html?|ya?ml|local|localhost|invalid|internal)$/i;
/** User names of services, not people: `git@github.com:a/b.git`. */
const SERVICE = /^(?:git|hg|svn|root|ssh)$/i;

/** Steps that the search for personal data takes per character. */
export const PERSONAL_DATA_STEPS_PER_CHARACTER = 4;

/**
 * Finds personal data in a text: email addresses, telephone numbers, IBANs and card numbers. The finds are not sorted.
 */
export const findPersonalData = (text: string): FoundSecret[] => [
  ...emails(text),
  ...(/\d{2}/.test(text) ? [...numbers(text, IBAN, "iban", ibanLength), ...cards(text), ...phones(text)] : []),
];

function emails(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    let start = at;
    while (start > at - 64 && start > 0 && LOCAL.test(text.charAt(start - 1))) start -= 1;
    // The n of `\n` is not part of the name, and a name does not begin with any of `.-%+`.
    if (text.charAt(start - 1) === "\\") start += 1;
    while (start < at && ".-%+".includes(text.charAt(start))) start += 1;
    DOMAIN.lastIndex = at + 1;
    const domain = start < at ? DOMAIN.exec(text) : null;
    if (!domain || NO_DOMAIN.test(domain[1] ?? "") || SERVICE.test(text.slice(start, at))) continue;
    found.push({ start, end: at + 1 + domain[0].length, kind: "email" });
  }
  return found;
}

/**
 * Finds the texts that match `form`. `lengthOf` returns how many characters of a match to keep; 0 discards the match.
 */
function numbers(text: string, form: RegExp, kind: string, lengthOf: (spelled: string) => number): FoundSecret[] {
  return [...text.matchAll(form)].flatMap(({ index, 0: spelled }) => {
    const length = lengthOf(spelled);
    return length > 0 ? [{ start: index, end: index + length, kind }] : [];
  });
}

/** Returns the length of an IBAN including spaces; 0 if the country, the length or the check digits are wrong. */
function ibanLength(spelled: string): number {
  const length = IBAN_LENGTHS.get(spelled.slice(0, 2)) ?? 0;
  let end = 0;
  for (let count = 0; end < spelled.length && count < length; end += 1) if (spelled.charAt(end) !== " ") count += 1;
  const digits = spelled.slice(0, end).replaceAll(" ", "");
  const goesOn = /^[A-Z0-9]/.test(spelled.slice(end));
  return length > 0 && digits.length === length && !goesOn && rest97(digits) === 1 ? end : 0;
}

/**
 * Returns the IBAN modulo 97. The country code and check digits move to the end, and letters count from 10 (A) to 35
 * (Z).
 */
function rest97(iban: string): number {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

const cards = (text: string): FoundSecret[] =>
  numbers(text, CARD, "card-number", (spelled) => {
    const digits = spelled.replaceAll(/\D/g, "");
    const isKnown = digits.length === 15 ? AMEX.test(digits) : ISSUER.test(digits);
    return isKnown && passesLuhn(digits) ? spelled.length : 0;
  });

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - place)) * (place % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

const phones = (text: string): FoundSecret[] =>
  PHONES.flatMap((form) => [...text.matchAll(form)])
    .filter(({ index, 0: spelled }) => isPhone(text, index, spelled))
    .map(({ index, 0: spelled }) => ({ start: index, end: index + spelled.length, kind: "phone" }));

/**
 * Returns true if a match is a telephone number. Rejects sums, decimal numbers and lines of a diff, which also consist
 * of a sign and digits.
 */
function isPhone(text: string, start: number, spelled: string): boolean {
  if (spelled.startsWith("0")) return PHONE_WORD.test(text.slice(Math.max(0, start - 40), start));
  if (!spelled.startsWith("+")) return true;
  const begins = start === 0 || text.charAt(start - 1) === "\n";
  const isApart = /\d[ ()/-]+\d/.test(spelled) || /\..*\./.test(spelled);
  return !/^\+\d+\.\d+$/.test(spelled) && (isApart || !begins);
}
