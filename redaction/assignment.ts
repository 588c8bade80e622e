import { afterBreak, bitOf, isAlnum, isDrawn, isIn, QUOTES, type Reading } from "./reading.ts";
import { HARMLESS_NAME, NAME, PLACEHOLDER } from "./rules.ts";
import type { Found } from "./token.ts";

const EQUALS = 61;
/** Characters of a name before and after the word that tells, and of a value. */
const [NAME_BEFORE, NAME_AFTER, VALUE] = [64, 32, 4096];

/** A name and the place behind it. */
interface Name {
  text: string;
  start: number;
  end: number;
}

/** A value beside a name. */
interface Value {
  start: number;
  end: number;
  /** The end of its first line, by which it is judged. */
  firstEnd: number;
  isQuoted: boolean;
}

/** The secret, and up to where no other name needs to be read. */
interface Assigned {
  found?: Found;
  end: number;
}

/** A value of more characters that is no secret is not read again from names within it. */
const LONG = 512;

const isNameChar = (code: number) => isAlnum(code) || code === 95 || code === 45 || code === 46;

/** The value beside a name that says what it is: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`. */
export function assignedAt(reading: Reading, at: number): Assigned {
  const name = nameAround(reading, at);
  const nothing = { end: name.end };
  const telling = tellingOf(name.text);
  if (!telling) return nothing;
  const isEnv = telling.isEnv && reading.text.charCodeAt(name.end) === EQUALS;
  const start = afterSeparator(reading, name);
  if (start < 0) return nothing;
  const isAuthorization = telling.kind === "authorization";
  const value = isAuthorization ? credentialsAt(reading, start) : valueAt(reading, start, isEnv);
  const text = reading.text.slice(value.start, value.firstEnd);
  const isHeader = isAuthorization && text.length >= 8 && !PLACEHOLDER.test(text);
  if (!isHeader && !isSecret(text, telling, { isEnv, isQuoted: value.isQuoted }))
    return value.end - value.start > LONG ? { end: value.end } : nothing;
  return { end: name.end, found: { start: value.start, end: value.end, kind: telling.kind } };
}

/** The kind of a value that is a member of an object under this name; undefined for one that is no secret. */
export function memberKind(name: string, value: string): string | undefined {
  if (name.length > NAME_BEFORE || value.length > VALUE) return undefined;
  const telling = tellingOf(name);
  const isMember = telling && isSecret(value, telling, { isEnv: telling.isEnv, isQuoted: true });
  return isMember ? telling.kind : undefined;
}

/** Facts about a name that says what its value is. */
interface Telling {
  kind: string;
  /** It is in capitals, as names of environment variables are. */
  isEnv: boolean;
  /** Its value is a name and a password in base64. */
  isBasic: boolean;
}

/** Names that were judged lately: a log or a file repeats few of them all over. */
const judged = new Map<string, Telling | null>();
const MOST_JUDGED = 256;

/** The facts about a name; null for one that says nothing. */
function tellingOf(name: string): Telling | null {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const tells = NAME.test(name) && !HARMLESS_NAME.test(name) && (!/_key$/.test(name) || KEYS.test(name));
  const telling = tells
    ? { kind: kindOf(name), isEnv: /^[A-Z][A-Z0-9_]*$/.test(name), isBasic: /(?:^|[_.])auth$/i.test(name) }
    : null;
  if (judged.size === MOST_JUDGED) judged.clear();
  judged.set(name, telling);
  return telling;
}

/** In lower case `_key` alone says little: `cache_key`, `sort_key`. */
const KEYS = /(?:api|access|account|storage|private|secret|auth)_key$/;
const kindOf = (name: string) =>
  /authorization$/i.test(name)
    ? "authorization"
    : /pass|pwd/i.test(name)
      ? "password"
      : /auth$|dockerconfigjson$/i.test(name)
        ? "basic-auth"
        : "secret";

function nameAround(reading: Reading, at: number): Name {
  const { text } = reading;
  let start = at;
  while (start > at - NAME_BEFORE && isNameChar(text.charCodeAt(start - 1))) start -= 1;
  // The n of `\n` is no letter of the name.
  if (text.charAt(start - 1) === "\\" && "nrt".includes(text.charAt(start))) start += 1;
  let end = isNameChar(text.charCodeAt(at)) ? at : at + 1;
  start = Math.max(start, isNameChar(text.charCodeAt(at)) ? start : at + 1);
  while (end < at + NAME_AFTER && isNameChar(text.charCodeAt(end))) end += 1;
  reading.steps += end - start;
  return { text: text.slice(start, end), start, end };
}

/** Closing quotes, a separator and blanks; or the `value` of a list of names and values; or the blank after an option. */
const SEPARATOR =
  /^[\\"'`\]]{0,6}(?:[ \t]{0,8}(?:=>|:=|=(?!=)|:(?!:))[ \t]{0,8}|,?\\{0,3}n?\s{1,40}["'\\]{0,4}value["'\\]{0,4}[:=][ \t]{0,4})/i;

function afterSeparator(reading: Reading, { text: name, end }: Name): number {
  // Nearly every value that is a secret stands right behind its name and a sign.
  if (reading.text.charCodeAt(end) === EQUALS && isAlnum(reading.text.charCodeAt(end + 1))) return end + 1;
  const rest = reading.text.slice(end, end + 80);
  reading.steps += 80;
  const separator = SEPARATOR.exec(rest);
  if (separator) return end + separator[0].length;
  const isOption = name.startsWith("--") && rest.startsWith(" ") && !rest.startsWith(" -");
  const isElement = reading.text.charAt(end - name.length - 1) === "<" && rest.startsWith(">");
  const isNetrc =
    name === "password" &&
    rest.startsWith(" ") &&
    /login \S{1,64}\s{1,4}$/.test(reading.text.slice(Math.max(0, end - 90), end - 8));
  return isOption || isElement || isNetrc ? end + 1 : -1;
}

function valueAt(reading: Reading, from: number, isEnv: boolean): Value {
  const { text } = reading;
  const open = isAlnum(text.charCodeAt(from)) ? null : /^(\\{0,7})(["'`])/.exec(text.slice(from, from + 8));
  if (open) {
    const start = from + open[0].length;
    const end = closing(reading, start, { quote: open[2] ?? "", isEscaped: open[1] !== "" });
    return { start, end, firstEnd: end, isQuoted: true };
  }
  const stops = isEnv ? ENV_STOPS : STOPS;
  const last = Math.min(text.length, from + VALUE);
  let end = from;
  while (end < last && text.charCodeAt(end) > 32 && !stops.includes(text.charAt(end))) end += 1;
  reading.steps += end - from;
  return { start: from, end: longer(reading, from, end), firstEnd: end, isQuoted: false };
}

const ENV_STOPS = `${QUOTES}\\`;
const STOPS = `${ENV_STOPS},;)}]&<>`;

/** The place of the quote that ends a text; where the quote is an escaped one, so is its end. */
function closing(reading: Reading, start: number, { quote, isEscaped }: { quote: string; isEscaped: boolean }): number {
  const { text } = reading;
  const last = Math.min(text.length, start + VALUE);
  let at = start;
  for (; at < last; at += 1) {
    const char = text.charAt(at);
    if (char === quote || char === "\n") break;
    if (char !== "\\") continue;
    if (isEscaped) break;
    at += 1;
  }
  reading.steps += at - start;
  return Math.min(at, text.length);
}

const BASE64 = bitOf("base64");

/** A value that is broken within a line of more than seventy columns goes on in the next. */
function longer(reading: Reading, from: number, end: number): number {
  if (end - from < 40) return end;
  const next = afterBreak(reading, end);
  if (next < 0) return end;
  let stop = next;
  while (stop < next + VALUE && isIn(reading.text.charCodeAt(stop), BASE64)) stop += 1;
  reading.steps += stop - next;
  const piece = reading.text.slice(next, stop);
  return piece.length >= 12 && isDrawn(piece) && /^=*\s/.test(`${reading.text.slice(stop, stop + 3)}\n`) ? stop : end;
}

/** Behind a scheme, such as Bearer, come the credentials. */
function credentialsAt(reading: Reading, from: number): Value {
  const scheme = /^\\{0,7}["'`]?(?:(?:bearer|basic|token|digest|negotiate|apikey|bot|splunk|ssws)[ \t]{1,4})?/i.exec(
    reading.text.slice(from, from + 40),
  );
  const start = from + (scheme?.[0].length ?? 0);
  const { end, firstEnd } = valueAt(reading, start, false);
  return { start, end, firstEnd, isQuoted: true };
}

/** Reports whether a value beside a name that tells is worth hiding. */
function isSecret(
  value: string,
  { isBasic }: Telling,
  { isEnv, isQuoted }: { isEnv: boolean; isQuoted: boolean },
): boolean {
  if (value.length < (isEnv ? 4 : 8) || PLACEHOLDER.test(value) || /\$\{|\{\{|\s/.test(value)) return false;
  if (isBasic) return isCredentials(value);
  const isPath = /^\.{0,2}\//.test(value) && !(/\d/.test(value) && /[A-Z]/.test(value));
  if (isPath || /^https?:/.test(value)) return false;
  if (isEnv) return !/[()]|^[a-z]+(?:\.[A-Za-z]+)+$/.test(value);
  if (isEncoded(value)) return true;
  if (!isDrawn(value)) return false;
  return isQuoted ? isVaried(value) : value.length >= 10 && isVaried(value) && !/[.(]|^[a-z]+\d+$/i.test(value);
}

/** Reports whether a value with digits and letters is more than a word with a number: `oauth2token`, `sha256-legacy`. */
const isVaried = (value: string): boolean =>
  !/^[A-Za-z]+(?:[-_ .:/][A-Za-z]+)*\d{0,4}$/.test(value) &&
  ((value.match(/\d/g)?.length ?? 0) >= 3 || (/[a-z]/.test(value) && /[A-Z]/.test(value)) || /[!#%*@^~]/.test(value));

/** Reports whether a text is base64 of one that looks drawn, as the secrets of Kubernetes are written. */
function isEncoded(value: string): boolean {
  if (value.length < 12 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const plain = Buffer.from(value, "base64").toString("latin1");
  return /^[\x20-\x7e]+$/.test(plain) && isDrawn(plain);
}

/** Reports whether a text is a name and a password in base64. */
export function isCredentials(value: string): boolean {
  if (value.length < 8 || !/^[\w+/-]+={0,2}$/.test(value)) return false;
  return /^[\x20-\x39\x3b-\x7e]*:[\x20-\x7e]+$/.test(Buffer.from(value, "base64").toString("latin1"));
}
