import type { HeaderSearchResult } from "./headers.ts";
import { getAlphabetBit, isInAlphabet, looksRandom, QUOTES, type TextReader } from "./reading.ts";
import { isPlaceholder } from "./rules.ts";
import type { FoundSecret } from "./token.ts";

/** Maximum number of characters after the `://` of a URL in which a password is searched. */
const USER = 1024;

/** Finds the password in a URL: `postgres://user:…@host`. */
export function findUrlPassword(reading: TextReader, at: number): FoundSecret | undefined {
  const { text } = reading;
  const start = at + (text.startsWith("://", at) ? 3 : 5);
  const last = Math.min(text.length, start + USER);
  let colon = -1;
  let end = start;
  for (; end < last; end += 1) {
    const char = text.charAt(end);
    if (char === "@") break;
    if (char <= " " || "/?#<>\\|,".includes(char) || QUOTES.includes(char)) break;
    if (char === ":" && colon < 0) colon = end;
  }
  reading.steps += end - start;
  if (text.charAt(end) !== "@") return undefined;
  const value = { start: colon < 0 ? start : colon + 1, end, kind: "url-password" };
  const secret = text.slice(value.start, value.end);
  const isToken = colon < 0 && (secret.length < 20 || !looksRandom(secret));
  return secret === "" || isPlaceholder(secret) || isToken ? undefined : value;
}

const ESCAPED = getAlphabetBit("escaped");
const SIGNATURE_CHARS = 20;

/**
 * Finds the signature of a presigned URL: `?sig=…`, `X-Amz-Signature=…`. The signature is a secret, because anybody who
 * has the complete URL can open it.
 */
export function findUrlSignature(reading: TextReader, at: number): HeaderSearchResult {
  const { text } = reading;
  const start = text.indexOf("=", at) + 1;
  let end = start;
  while (isInAlphabet(text.charCodeAt(end), ESCAPED)) end += 1;
  reading.steps += end - at;
  const value = text.slice(start, end);
  if (value.length < SIGNATURE_CHARS || !looksRandom(value)) return { end };
  return { end, found: { start, end, kind: "url-signature" } };
}

const HYPHENS = "-----";

/**
 * Stores the position of the next `-----` in a text. The search for each private key needs this position, and a text
 * may contain the beginnings of many keys.
 */
export class HyphensPositionCache {
  #from = 0;
  #next = -1;

  /** Returns the position of the next five hyphens; the end of the text if there are none. */
  after(reading: TextReader, from: number): number {
    if (from < this.#from || from > this.#next) {
      const next = reading.text.indexOf(HYPHENS, from);
      this.#next = next < 0 ? reading.text.length : next;
      this.#from = from;
      reading.steps += (this.#next - from) >> 3;
    }
    return this.#next;
  }
}

/**
 * Finds a private key from its first to its last line. If the key is truncated, the find ends where the key's text
 * ends.
 */
export function findPrivateKey(
  reading: TextReader,
  hyphens: HyphensPositionCache,
  at: number,
): FoundSecret | undefined {
  const { text } = reading;
  const label = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(at, at + 80));
  reading.steps += 16;
  if (!label) return undefined;
  const start = at + label[0].length;
  const next = hyphens.after(reading, start);
  if (next - start >= 40 && text.startsWith("-----END ", next)) {
    const tail = /^-----END [A-Z0-9 ]{0,40}-----/.exec(text.slice(next, next + 80));
    return { start: at, end: next + (tail?.[0].length ?? 0), kind: "private-key" };
  }
  const end = endOfCutKey(reading, start, next);
  return end > start ? { start: at, end, kind: "private-key" } : undefined;
}

/** Matches the body of a private key: base64, line breaks (also spelled `\n`) and headers of the key. */
const BODY = /[A-Za-z0-9+/=\s\\,:-]{1,4096}/y;
/** Minimum length of a truncated key. */
const LEAST_BODY = 40;

/** Returns the end of a truncated key's lines; `start` if too little text follows. */
function endOfCutKey(reading: TextReader, start: number, until: number): number {
  let plain = start;
  for (BODY.lastIndex = plain; plain < until && BODY.test(reading.text); BODY.lastIndex = plain)
    plain = Math.min(until, BODY.lastIndex);
  const lines = endOfLines(reading.text, start, until);
  reading.steps += plain - start + 2 * (lines - start);
  return Math.max(plain - start >= LEAST_BODY ? plain : start, lines);
}

/** Maximum number of headers and empty lines before the key's lines of base64. */
const MOST_HEADERS = 6;

/**
 * Returns the end of a truncated key whose lines begin with prefixes that tools print. The base64 stands at the ends of
 * the lines, and all lines except the last are equally long.
 */
function endOfLines(text: string, start: number, until: number): number {
  let [at, end, length, headers] = [start, start, 0, 0];
  while (at < until && headers <= MOST_HEADERS) {
    const [from, to] = base64AtEnd(text, at, until);
    const size = to - from;
    if (length === 0 && size < LEAST_BODY) headers += 1;
    else if (length === 0) [length, end] = [size, to];
    else if (size >= 4 && size <= length) end = to;
    if (length > 0 && size !== length) break;
    const next = lineAfter(text, to);
    if (next <= to) break;
    at = next;
  }
  return end;
}

/** Returns the start and end of the base64 at the end of a line. Characters that close a string in code may follow. */
function base64AtEnd(text: string, from: number, until: number): [number, number] {
  const line = /^[^\r\n\\]{0,400}/.exec(text.slice(from, Math.min(until, from + 400)))?.[0] ?? "";
  const [tail = "", body = ""] = /([A-Za-z0-9+/]*={0,2})[^A-Za-z0-9+/=]{0,8}$/.exec(line.slice(-200)) ?? [];
  const begin = from + line.length - tail.length;
  return [begin, begin + body.length];
}

/** Returns the start of the next line. */
function lineAfter(text: string, from: number): number {
  const end = /^["'`,;+) \t]{0,8}(?:\\?\r?\n|\\{1,4}(?:r\\{1,4})?n["'`,;+) \t]{0,8}\n?)/.exec(
    text.slice(from, from + 32),
  );
  return from + (end?.[0].length ?? 0);
}

/** Finds the password after `-u name:`, even if no command was recognized. */
export function findUserPassword(reading: TextReader, at: number): FoundSecret | undefined {
  const { text } = reading;
  const option = /^(?:-u|--user)[ =]["']?[\w.@-]{1,64}:([^\s"'\\]{4,200})/.exec(text.slice(at, at + 300));
  const before = text.charAt(at - 1);
  reading.steps += option ? option[0].length : 8;
  if (!option?.[1] || isPlaceholder(option[1]) || !/^\s?$/.test(before) || !looksRandom(option[1])) return undefined;
  const end = at + option[0].length;
  return { start: end - option[1].length, end, kind: "basic-auth" };
}
