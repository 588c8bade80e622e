import { findAuthorizationKind } from "./headers.ts";
import { isAlnum, type TextReader } from "./reading.ts";
import { HARMLESS_NAME_PATTERN, SECRET_NAME_PATTERN } from "./rules.ts";
import type { FoundSecret } from "./token.ts";
import { isSecret, type NamedValue, type NamedValueReader, type ValueContext } from "./value.ts";

const [EQUALS, COLON] = [61, 58];
/**
 * Maximum number of characters of a name before and after the position at which a word that announces a secret, such as
 * `token`, was found.
 */
const [NAME_BEFORE, NAME_AFTER] = [64, 32];

/** Name and its position in the text. */
interface Name {
  text: string;
  start: number;
  end: number;
}

/** The secret, if one was found, and the position up to which the text is already searched for names. */
interface Assigned {
  found?: FoundSecret;
  end: number;
}

const isNameChar = (code: number) => isAlnum(code) || code === 95 || code === 45 || code === 46;

/** Finds the secret value next to a name that announces a secret: `DB_PASSWORD=…`, `"token": "…"`, `--api-key …`. */
export function findAssignedSecret(reading: TextReader, values: NamedValueReader, at: number, word: number): Assigned {
  const name = nameAround(reading, at, word);
  const nothing = { end: name.end };
  const telling = tellingOf(reading, name.text);
  if (!telling) return nothing;
  const start = afterSeparator(reading, name);
  if (start < 0) return nothing;
  const sign = reading.text.charCodeAt(name.end);
  const isEnv = telling.isEnv && sign === EQUALS;
  const value = values.at(start, isEnv);
  if (value.isBroken) return nothing;
  const text = reading.text.slice(value.start, value.end);
  reading.steps += Math.min(text.length, 64);
  const setting = {
    isEnv: isEnv || isListed(reading, telling, name, value),
    isQuoted: value.isQuoted,
    isBasic: telling.isBasic,
  };
  if (!isSecret(text, setting)) return nothing;
  const end = values.wholeEnd(value);
  return { end: Math.max(name.end, end), found: { start: value.start, end, kind: telling.kind } };
}

/**
 * Returns true if the text lists a name in capitals and its value as YAML and JSON list environment variables:
 * `DB_PASSWORD: swordfish`, `"DB_PASSWORD": "swordfish"`. In YAML, the value must stand alone on the line.
 */
function isListed({ text }: TextReader, { isEnv }: Telling, { end: name }: Name, { start, end }: NamedValue): boolean {
  if (!isEnv) return false;
  const between = text.slice(name, start);
  const isMember = /^(\\{0,3}["']): ?\1$/.test(between);
  const isLine =
    /^: ["']?$/.test(between) &&
    /^["']?[ \t]*(?:[\r\n]|$|\\{1,4}n|\\{0,3}"\s{0,8}[}\]])/.test(text.slice(end, end + 16));
  return isMember || isLine;
}

/**
 * Checks a member of an object by the member's name and value. Returns the kind of secret; undefined if the value is
 * not a secret.
 */
export function findMemberSecretKind(name: string, value: string): string | undefined {
  if (name.length > NAME_BEFORE) return undefined;
  if (/authorization$/i.test(name)) return findAuthorizationKind(value);
  const telling = judge(name);
  return telling && isSecret(value, { ...telling, isQuoted: true }) ? telling.kind : undefined;
}

/** Properties of a name that announces a secret: the kind of the secret, and the context for judging the value. */
interface Telling extends Pick<ValueContext, "isEnv" | "isBasic"> {
  kind: string;
}

/** Cache of examined names: logs and files repeat a few names often. */
const judged = new Map<string, Telling | null>();
const MOST_JUDGED = 256;

/** Returns the properties of a name; null if the name does not announce a secret. */
function tellingOf(reading: TextReader, name: string): Telling | null {
  const known = judged.get(name);
  if (known !== undefined) return known;
  reading.steps += 2 * name.length;
  return judge(name);
}

function judge(name: string): Telling | null {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const tells =
    SECRET_NAME_PATTERN.test(name) && !HARMLESS_NAME_PATTERN.test(name) && (!/_key$/.test(name) || KEYS.test(name));
  const telling = tells
    ? { kind: kindOf(name), isEnv: /^[A-Z][A-Z0-9_]*$/.test(name), isBasic: /(?:^|[_.])auth$/i.test(name) }
    : null;
  if (judged.size === MOST_JUDGED) judged.clear();
  judged.set(name, telling);
  return telling;
}

/**
 * A lower-case name that ends in `_key` announces a secret only if the name ends in one of these words. Other names are
 * harmless, such as `cache_key` and `sort_key`.
 */
const KEYS = /(?:api|access|account|storage|private|secret|auth)_key$/;
const kindOf = (name: string) =>
  /pass|pwd/i.test(name) ? "password" : /auth$|dockerconfigjson$/i.test(name) ? "basic-auth" : "secret";

function nameAround(reading: TextReader, at: number, word: number): Name {
  const { text } = reading;
  let start = at;
  while (start > at - NAME_BEFORE && isNameChar(text.charCodeAt(start - 1))) start -= 1;
  // The n of `\n` is not a letter of the name.
  if (text.charAt(start - 1) === "\\" && "nrt".includes(text.charAt(start))) start += 1;
  let end = isNameChar(text.charCodeAt(at)) ? at + word : at + 1;
  start = Math.max(start, isNameChar(text.charCodeAt(at)) ? start : at + 1);
  while (end < at + NAME_AFTER && isNameChar(text.charCodeAt(end))) end += 1;
  while (end > at && !isNameChar(text.charCodeAt(end - 1))) end -= 1;
  reading.steps += end - start;
  const name = text.slice(start, end);
  // Diffs and grep output put a hyphen before a line: `-DB_PASSWORD=`, `.env-2-DB_PASSWORD=`.
  const before = name.includes("-") ? /^(?:[\w.-]*-\d{1,7})?-(?=[A-Z][A-Z0-9_]*$)/.exec(name) : null;
  return before
    ? { text: name.slice(before[0].length), start: start + before[0].length, end }
    : { text: name, start, end };
}

/**
 * Text between a name and its value: closing quotes, a separator and spaces. In a list of objects with a name and a
 * `value` key, the `value` key stands in between.
 */
const SEPARATOR =
  /^[\\"'`\]]{0,6}(?: \[[^\]\r\n]{0,40}\])?(?:[ \t]{0,8}(?:=>|:=|=(?!=)|:(?!:))[ \t]{0,8}|,?\\{0,3}n?\s{1,40}["'\\]{0,4}value["'\\]{0,4}[:=][ \t]{0,4})/i;

function afterSeparator(reading: TextReader, { text: name, end }: Name): number {
  const { text } = reading;
  // Fast path: nearly every secret value follows directly after its name and a separator.
  if (text.charCodeAt(end) === EQUALS && isAlnum(text.charCodeAt(end + 1))) return end + 1;
  if (text.charCodeAt(end) === COLON && isAlnum(text.charCodeAt(end + 1))) return end + 1;
  const rest = text.slice(end, end + 80);
  const separator = SEPARATOR.exec(rest);
  reading.steps += 16;
  if (separator) return end + separator[0].length;
  const isOption = name.startsWith("--") && rest.startsWith(" ") && !rest.startsWith(" -");
  const isElement = text.charAt(end - name.length - 1) === "<" && rest.startsWith(">");
  const isNetrc =
    name === "password" &&
    rest.startsWith(" ") &&
    /login \S{1,64}\s{1,4}$/.test(text.slice(Math.max(0, end - 90), end - 8));
  return isOption || isElement || isNetrc ? end + 1 : -1;
}
