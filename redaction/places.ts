import { isCredentials } from "./assignment.ts";
import { bitOf, isDrawn, isIn, QUOTES, type Reading } from "./reading.ts";
import { PLACEHOLDER } from "./rules.ts";
import type { Found } from "./token.ts";

/** Characters of an address that are looked at for a password, of a line of cookies, and of a private key. */
const [USER, LINE, KEY] = [1024, 8192, 16_384];

/** The password in an address: `postgres://user:…@host`. */
export function urlPasswordAt(reading: Reading, at: number): Found | undefined {
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
  const isToken = colon < 0 && (secret.length < 20 || !isDrawn(secret));
  return secret === "" || PLACEHOLDER.test(secret) || isToken ? undefined : value;
}

/** The cookies of a header, or the value of the cookie that is set. */
export function cookieAt(reading: Reading, at: number): { found?: Found; end: number } {
  const { text } = reading;
  const lead = /^cookie["'`\\]{0,6}[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}["'`]?/i.exec(text.slice(at, at + 32));
  if (!lead) return { end: at };
  const start = at + lead[0].length;
  const last = Math.min(text.length, start + LINE);
  let end = start;
  while (end < last && text.charCodeAt(end) >= 32 && !`${QUOTES}\\`.includes(text.charAt(end))) end += 1;
  reading.steps += end - start;
  const isSet = /set-$/i.test(text.slice(Math.max(0, at - 4), at));
  const line = text.slice(start, end);
  const drawn = line.split(";").some((pair) => isLong(pair.slice(pair.indexOf("=") + 1)));
  if (!line.includes("=") || !drawn) return { end };
  if (!isSet) return { found: { start, end, kind: "cookie" }, end };
  const [first = ""] = line.split(";", 1);
  return { found: { start: start + first.indexOf("=") + 1, end: start + first.length, kind: "cookie" }, end };
}

const isLong = (value: string) => value.length >= 12 && isDrawn(value) && !/[(){}$\s]/.test(value.trim());

const TOKEN68 = bitOf("token68");

/** The credentials after `Bearer` or `Basic`. */
export function schemeAt(reading: Reading, at: number): Found | undefined {
  const { text } = reading;
  const scheme = /^(bearer|basic)(?: {1,4}|%20|\+)/i.exec(text.slice(at, at + 12));
  if (!scheme) return undefined;
  const start = at + scheme[0].length;
  const last = Math.min(text.length, start + 4096);
  let end = start;
  while (end < last && isIn(text.charCodeAt(end), TOKEN68)) end += 1;
  reading.steps += end - start;
  const value = text.slice(start, end);
  if (scheme[1]?.toLowerCase() === "basic")
    return isCredentials(value) ? { start, end, kind: "basic-auth" } : undefined;
  return value.length >= 16 && isDrawn(value) && !PLACEHOLDER.test(value) ? { start, end, kind: "bearer" } : undefined;
}

/** A private key, from its first line to its last; of one that was cut, as far as it goes. */
export function privateKeyAt(reading: Reading, at: number): Found | undefined {
  const { text } = reading;
  const label = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(text.slice(at, at + 80));
  if (!label) return undefined;
  const start = at + label[0].length;
  const until = text.slice(start, start + KEY);
  const next = until.indexOf("-----");
  reading.steps += next < 0 ? until.length : next;
  if (next >= 40 && until.startsWith("-----END ", next)) {
    const tail = /^-----END [A-Z0-9 ]{0,40}-----/.exec(until.slice(next, next + 80));
    return { start: at, end: start + next + (tail?.[0].length ?? 0), kind: "private-key" };
  }
  const cut = /^[A-Za-z0-9+/=\s\\,:-]{40,}/.exec(next < 0 ? until : until.slice(0, next));
  return cut ? { start: at, end: start + cut[0].length, kind: "private-key" } : undefined;
}

/** The password after `curl -u name:`. */
export function userOptionAt({ text }: Reading, at: number): Found | undefined {
  const option = /^(?:-u|--user)[ =]["']?[\w.@-]{1,64}:([^\s"'\\]{4,200})/.exec(text.slice(at, at + 300));
  const before = text.charAt(at - 1);
  if (!option?.[1] || PLACEHOLDER.test(option[1]) || !/^\s?$/.test(before) || !isDrawn(option[1])) return undefined;
  const end = at + option[0].length;
  return { start: end - option[1].length, end, kind: "basic-auth" };
}
