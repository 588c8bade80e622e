import { bitOf, isDrawn, isIn, QUOTES, Reading } from "./reading.ts";
import { isPlaceholder } from "./rules.ts";
import type { Found } from "./token.ts";
import { isCredentials, isSecret, JUDGED, Values } from "./value.ts";

/** A find, and up to where nothing else of the kind needs to be read. */
export interface Read {
  found?: Found;
  end: number;
}

const BACKSLASH = 92;
const TOKEN68 = bitOf("token68");

/** The part between the word `authorization` and the credentials: a sign, or the comma of a call, and an opening quote. */
const BETWEEN =
  /^authorization(?<closes>[\\"'`\]]{0,6})[ \t]{0,8}(?:=>|:=|[:=]|(?<=["'`]),)[ \t]{0,8}(?<opens>\\{0,7}["'`])?/i;

/** Schemes, and those of them whose credentials are a list of names and values. */
const SCHEMES =
  /^(?:bearer|basic|token|digest|negotiate|ntlm|kerberos|api-?key|key|jwt|bot|splunk|ssws|oauth|hawk|mac|hmac|signature|dpop|privatetoken|sharedaccesssignature|sharedkey(?:lite)?|aws|aws4-[a-z0-9-]+|genie[kK]ey|client|zoho-oauthtoken|discogs|maps|sso-key)$/i;
const LISTS = /^(?:digest|oauth|hawk|mac|signature|sharedaccesssignature|aws4-[a-z0-9-]+)$/i;

/** The credentials of an `Authorization` header, whatever their scheme, in output, commands, code and environments. */
export function authorizationAt(reading: Reading, values: Values, at: number): Read {
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
  reading.steps += isList ? end - start : Math.min(end - start, JUDGED);
  const value = text.slice(start, end);
  if (value === "" || isPlaceholder(value.slice(0, JUDGED))) return { end: Math.max(from, at + 13) };
  const name = text.slice(at, at + 13);
  const isEnv = name === "AUTHORIZATION" && text.charAt(at + 13) === "=";
  const isKept = scheme
    ? isList || isCredential(value.slice(0, JUDGED), /^$|["'`\\\r\n]/.test(text.charAt(end)))
    : isSecret(value, { isEnv, isQuoted: true, isBasic: false });
  return isKept ? { found: { start, end, kind: kindOf(scheme?.name) }, end } : { end: Math.max(from, at + 13) };
}

/** The kind of the value of a member that is named `authorization`; undefined for one that holds no credentials. */
export const authorizationKind = (value: string): string | undefined => kindIn(new Reading(`authorization: ${value}`));

const kindIn = (reading: Reading) => authorizationAt(reading, new Values(reading), 0).found?.kind;

const kindOf = (scheme = "") =>
  /^bearer$/i.test(scheme) ? "bearer" : /^basic$/i.test(scheme) ? "basic-auth" : "authorization";

/** A scheme that is known, and the place behind the blank, or the line break, that follows it. */
function schemeFrom(reading: Reading, from: number): { name: string; end: number } | undefined {
  const { text } = reading;
  const [name = ""] = /^[A-Za-z][A-Za-z0-9-]{1,32}/.exec(text.slice(from, from + 40)) ?? [];
  if (!SCHEMES.test(name)) return undefined;
  const behind = from + name.length;
  const blank = /^(?:[ \t]{1,8}|%20|\+|:[ \t]?)/.exec(text.slice(behind, behind + 8))?.[0].length ?? 0;
  const end = reading.lineStarts(behind + blank).at(-1) ?? (blank > 0 ? behind + blank : -1);
  return end < 0 ? undefined : { name, end };
}

/** The quote in which a header stands, with its backslashes: `-H "Authorization: …"`. */
function quoteBefore(text: string, at: number): string | undefined {
  return /(\\{0,7}["'`])[\w-]{0,24}$/.exec(text.slice(Math.max(0, at - 32), at))?.[1];
}

/** The end of a list of names and values: the quote that the header stands in, or the end of the line. */
function endOfList(text: string, from: number, quote: string | undefined): number {
  let end = from;
  for (; end < text.length && text.charCodeAt(end) >= 32; end += 1) {
    if (quote && text.startsWith(quote, end) && text.charCodeAt(end - 1) !== BACKSLASH) break;
    if (/^\\{1,4}[nr]/.test(text.slice(end, end + 5)) && !quote?.startsWith("'")) break;
  }
  return end;
}

/** Reports whether what follows a scheme is a secret: `Token abc123def`, but not `Basic authentication is`. */
function isCredential(value: string, endsLine: boolean): boolean {
  if (/[(${]/.test(value) || value.length < 8) return false;
  return isDrawn(value)
    ? value.length >= 10
    : endsLine && value.length >= 12 && /^[\w.~+/=!@#%^&*:-]+$/.test(value) && !WORDS.test(value);
}

/** Words of prose and code: `another-token`, `request.headers.authorization`. */
const WORDS = /^[A-Za-z]+(?:[-_.][A-Za-z]+)+$/;

/** The cookies of a header, or the value of the cookie that is set. */
export function cookieAt(reading: Reading, at: number): Read {
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

const isLong = (value: string) => value.length >= 12 && isDrawn(value) && !/[(){}$\s]/.test(value.trim());

/** The credentials after `Bearer` or `Basic`. */
export function schemeAt(reading: Reading, at: number): Found | undefined {
  const { text } = reading;
  const scheme = /^(bearer|basic)(?: {1,4}|%20|\+)/i.exec(text.slice(at, at + 12));
  if (!scheme) return undefined;
  const start = at + scheme[0].length;
  let end = start;
  while (isIn(text.charCodeAt(end), TOKEN68)) end += 1;
  reading.steps += end - start;
  const value = text.slice(start, end);
  if (scheme[1]?.toLowerCase() === "basic")
    return isCredentials(value) ? { start, end, kind: "basic-auth" } : undefined;
  return value.length >= 16 && isDrawn(value) && !isPlaceholder(value) ? { start, end, kind: "bearer" } : undefined;
}
