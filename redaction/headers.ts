import { getAlphabetBit, isInAlphabet, looksRandom, QUOTES, TextReader } from "./reading.ts";
import { isPlaceholder } from "./rules.ts";
import type { FoundSecret } from "./token.ts";
import { isBase64BasicCredentials, isSecret, MAX_INSPECTED_CHARS, NamedValueReader } from "./value.ts";

/**
 * The secret, if one was found, and the position up to which the text is already searched for secrets of the same kind.
 */
export interface HeaderSearchResult {
  found?: FoundSecret;
  end: number;
}

const BACKSLASH = 92;
const TOKEN68 = getAlphabetBit("token68");

/**
 * Text between the word `authorization` and the credentials: a separator, or the comma of a function call, and an
 * opening quote.
 */
const BETWEEN =
  /^authorization(?<closes>[\\"'`\]]{0,6})[ \t]{0,8}(?:=>|:=|[:=]|(?<=["'`]),)[ \t]{0,8}(?<opens>\\{0,7}["'`])?/i;

/** Authorization schemes followed by a single value, in lower case. */
export const SINGLE_VALUE_AUTH_SCHEMES: readonly string[] = [
  ...[
    "bearer",
    "basic",
    "token",
    "negotiate",
    "ntlm",
    "kerberos",
    "apikey",
    "api-key",
    "key",
    "jwt",
    "bot",
    "splunk",
    "ssws",
  ],
  ...[
    "hmac",
    "dpop",
    "privatetoken",
    "sharedkey",
    "sharedkeylite",
    "aws",
    "geniekey",
    "client",
    "zoho-oauthtoken",
    "discogs",
  ],
  ...["maps", "sso-key"],
];
/** Authorization schemes followed by a list of names and values. AWS has one scheme per algorithm. */
export const PARAMETER_LIST_AUTH_SCHEMES: readonly string[] = [
  "digest",
  "oauth",
  "hawk",
  "mac",
  "signature",
  "sharedaccesssignature",
];
const LIST = `${PARAMETER_LIST_AUTH_SCHEMES.join("|")}|aws4-[a-z0-9-]+`;
const SCHEMES = new RegExp(`^(?:${SINGLE_VALUE_AUTH_SCHEMES.join("|")}|${LIST})$`, "i");
const LISTS = new RegExp(`^(?:${LIST})$`, "i");

/**
 * Finds the credentials of an `Authorization` header with any scheme, in output, commands, code and environment
 * variables.
 */
export function findAuthorization(reading: TextReader, values: NamedValueReader, at: number): HeaderSearchResult {
  const { text } = reading;
  const lead = BETWEEN.exec(text.slice(at, at + 48));
  reading.steps += 16;
  if (!lead) return { end: at + 13 };
  const { closes = "", opens } = lead.groups ?? {};
  const from = at + lead[0].length;
  const scheme = schemeFrom(reading, from);
  const start = scheme?.end ?? from;
  const head = text.slice(start, start + 64);
  const isList = scheme && (LISTS.test(scheme.name) ? /^[^\r\n]{4,63}=/.test(head) : /^\w+=\\{0,7}"/.test(head));
  const quote = opens ?? (closes === "" ? quoteBefore(text, at) : undefined);
  const end = isList ? endOfList(text, start, quote) : values.at(start, false).end;
  reading.steps += isList ? end - start : Math.min(end - start, MAX_INSPECTED_CHARS);
  const value = text.slice(start, end);
  if (value === "" || isPlaceholder(value.slice(0, MAX_INSPECTED_CHARS))) return { end: Math.max(from, at + 13) };
  const name = text.slice(at, at + 13);
  const isEnv = name === "AUTHORIZATION" && text.charAt(at + 13) === "=";
  const isKept = scheme
    ? isList || isCredential(value.slice(0, MAX_INSPECTED_CHARS), /^$|["'`\\\r\n]/.test(text.charAt(end)))
    : isSecret(value, { isEnv, isQuoted: true, isBasic: false });
  return isKept ? { found: { start, end, kind: kindOf(scheme?.name) }, end } : { end: Math.max(from, at + 13) };
}

/**
 * Returns the kind of the credentials in a member named `authorization`; undefined if the value contains no
 * credentials.
 */
export const findAuthorizationKind = (value: string): string | undefined =>
  kindIn(new TextReader(`authorization: ${value}`));

const kindIn = (reading: TextReader) => findAuthorization(reading, new NamedValueReader(reading), 0).found?.kind;

const kindOf = (scheme = "") =>
  /^bearer$/i.test(scheme) ? "bearer" : /^basic$/i.test(scheme) ? "basic-auth" : "authorization";

/**
 * Returns the authorization scheme at the position, and the position after the space or line break that follows the
 * scheme. Returns undefined if the scheme is not known.
 */
function schemeFrom(reading: TextReader, from: number): { name: string; end: number } | undefined {
  const { text } = reading;
  const [name = ""] = /^[A-Za-z][A-Za-z0-9-]{1,32}/.exec(text.slice(from, from + 40)) ?? [];
  if (!SCHEMES.test(name)) return undefined;
  const behind = from + name.length;
  const blank = /^(?:[ \t]{1,8}|%20|\+|:[ \t]?)/.exec(text.slice(behind, behind + 8))?.[0].length ?? 0;
  const end = reading.lineStarts(behind + blank).at(-1) ?? (blank > 0 ? behind + blank : -1);
  return end < 0 ? undefined : { name, end };
}

/** Returns the quote around a header, with its backslashes: `-H "Authorization: …"`. */
function quoteBefore(text: string, at: number): string | undefined {
  return /(\\{0,7}["'`])[\w-]{0,24}$/.exec(text.slice(Math.max(0, at - 32), at))?.[1];
}

/** Returns the end of a list of names and values: the quote that closes the header, or the end of the line. */
function endOfList(text: string, from: number, quote: string | undefined): number {
  let end = from;
  for (; end < text.length && text.charCodeAt(end) >= 32; end += 1) {
    if (quote && text.startsWith(quote, end) && text.charCodeAt(end - 1) !== BACKSLASH) break;
    if (/^\\{1,4}[nr]/.test(text.slice(end, end + 5)) && !quote?.startsWith("'")) break;
  }
  return end;
}

/** Returns true if the text after a scheme is a secret: `Token abc123def`, but not `Basic authentication is`. */
function isCredential(value: string, endsLine: boolean): boolean {
  if (/[(${]/.test(value) || value.length < 8) return false;
  return looksRandom(value)
    ? value.length >= 10
    : endsLine && value.length >= 12 && /^[\w.~+/=!@#%^&*:-]+$/.test(value) && !WORDS.test(value);
}

/** Matches words of prose and code, which are not credentials: `another-token`, `request.headers.authorization`. */
const WORDS = /^[A-Za-z]+(?:[-_.][A-Za-z]+)+$/;

/** Finds the cookies of a `Cookie` header, or the value in a `Set-Cookie` header. */
export function findCookie(reading: TextReader, at: number): HeaderSearchResult {
  const { text } = reading;
  const lead = /^cookie["'`\\]{0,6}[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}["'`]?/i.exec(text.slice(at, at + 32));
  if (!lead) return { end: at };
  const start = at + lead[0].length;
  let end = start;
  while (end < text.length && text.charCodeAt(end) >= 32 && !`${QUOTES}\\`.includes(text.charAt(end))) end += 1;
  reading.steps += end - start;
  const isSet = /set-$/i.test(text.slice(Math.max(0, at - 4), at));
  const line = text.slice(start, end);
  const drawn = line.split(";").some((pair) => isLong(pair.slice(pair.indexOf("=") + 1)));
  if (!line.includes("=") || !drawn) return { end };
  if (!isSet) return { found: { start, end, kind: "cookie" }, end };
  const [first = ""] = line.split(";", 1);
  return { found: { start: start + first.indexOf("=") + 1, end: start + first.length, kind: "cookie" }, end };
}

const isLong = (value: string) => value.length >= 12 && looksRandom(value) && !/[(){}$\s]/.test(value.trim());

/** Finds the credentials after `Bearer` or `Basic`. */
export function findSchemeCredentials(reading: TextReader, at: number): FoundSecret | undefined {
  const { text } = reading;
  const scheme = /^(bearer|basic)(?: {1,4}|%20|\+)/i.exec(text.slice(at, at + 12));
  if (!scheme) return undefined;
  const start = at + scheme[0].length;
  let end = start;
  while (isInAlphabet(text.charCodeAt(end), TOKEN68)) end += 1;
  reading.steps += end - start;
  const value = text.slice(start, end);
  if (scheme[1]?.toLowerCase() === "basic")
    return isBase64BasicCredentials(value) ? { start, end, kind: "basic-auth" } : undefined;
  return value.length >= 16 && looksRandom(value) && !isPlaceholder(value) ? { start, end, kind: "bearer" } : undefined;
}
