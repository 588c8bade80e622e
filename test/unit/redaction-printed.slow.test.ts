import { readFileSync } from "node:fs";
import { expect } from "chai";
import { type OptionForm, SECRET_OPTIONS_BY_COMMAND } from "../../redaction/commands.ts";
import { PARAMETER_LIST_AUTH_SCHEMES, SINGLE_VALUE_AUTH_SCHEMES } from "../../redaction/headers.ts";
import { BUILT_IN_KINDS, createRedactor, findSecrets } from "../../redaction/index.ts";
import { SECRET_NAME_LITERALS, SPACED_NAMES } from "../../redaction/rules.ts";
import { TOKEN_RULES } from "../../redaction/vendors.ts";
import { ALNUM, BASE64, DIGITS, HEX, LOWER, type Random, random, UPPER, WORD } from "../redaction/corpus/random.ts";

const redactor = createRedactor(new Uint8Array(32), "an organization");

/** Output of a tool, and the secret parts that must be redacted. */
interface Printed {
  name: string;
  text: string;
  parts: readonly string[];
}

const SETS: Readonly<Record<string, string>> = {
  ...{ digit: DIGITS, hex: HEX, anyhex: HEX, base32: `${UPPER}234567`, upper: UPPER + DIGITS, lower: LOWER + DIGITS },
  ...{ alnum: ALNUM, word: ALNUM, base64: ALNUM, token68: ALNUM, pad: "=" },
};

/** Draws a random token of a spelling, with the minimum length. */
function drawn(spelling: string, source: Random): string {
  return spelling.replaceAll(/\{(\w+):(\d+)(?:-\d+)?\}/g, (_, set, least) =>
    source.chars(SETS[set] ?? WORD, Number(least)),
  );
}

const source = random(51);
const value = () => source.chars(ALNUM, 4) + source.chars(DIGITS, 3) + source.chars(ALNUM, 17);
const letters = () => source.chars(LOWER, 18);
const key = (lines: number) =>
  Array.from({ length: lines }, () => source.chars(BASE64, 64)).map((line) => `A${line.slice(1)}`);
const made = (name: string, secret: string, text: (secret: string) => string): Printed => ({
  name,
  text: text(secret),
  parts: [secret],
});

const pairInBase64 = () => Buffer.from(`name:${letters()}1`).toString("base64");

/** Texts before a secret in which an option takes a secret, by form. */
const OPTIONS: Readonly<Record<OptionForm, (option: string) => string[]>> = {
  pair: (option) => [`${option} name:`, ...(option.startsWith("--") ? [`${option}=name:`] : [])],
  password: (option) => [`${option} `, ...(option.startsWith("--") ? [`${option}=`] : [])],
  attached: (option) => [option],
  cookie: (option) => [`${option} session=`],
  source: (option) => [`${option} pass:`],
};

const cut = key(6);
const long = key(400);
const whole = key(12);
const KINDS: readonly Printed[] = [
  ...TOKEN_RULES.map(({ kind, spelling }) => {
    const secret = drawn(spelling, source);
    return { name: kind, text: `value ${secret}`, parts: [secret.slice(-16)] };
  }),
  ...SINGLE_VALUE_AUTH_SCHEMES.map((scheme) =>
    made(`Authorization: ${scheme}`, value(), (secret) => `Authorization: ${scheme} ${secret}`),
  ),
  ...[...PARAMETER_LIST_AUTH_SCHEMES, "AWS4-HMAC-SHA256"].map((scheme) =>
    made(
      `Authorization: ${scheme}`,
      value(),
      (secret) => `Authorization: ${scheme} username="ada", realm="r", response="${secret}"`,
    ),
  ),
  made("a scheme and letters", letters(), (secret) => `Authorization: Token ${secret}`),
  made("a bare key", value(), (secret) => `authorization: ${secret}`),
  made("AUTHORIZATION", letters(), (secret) => `AUTHORIZATION=${secret}`),
  ...SECRET_NAME_LITERALS.filter((word) => /^[\w-]+$/.test(word)).map((word) =>
    made(word, word === "_auth" ? pairInBase64() : value(), (secret) => `app_${word.replace(/^_/, "")}: "${secret}"`),
  ),
  ...SPACED_NAMES.map((name) => made(name, value(), (secret) => `AWS ${name} [None]: ${secret}`)),
  made("a variable", letters(), (secret) => `DB_PASSWORD=${secret}`),
  made("a variable in YAML", letters(), (secret) => `POSTGRES_PASSWORD: ${secret}`),
  made("an option", value(), (secret) => `deploy --token ${secret}`),
  ...Object.entries(SECRET_OPTIONS_BY_COMMAND).flatMap(([command, options]) =>
    Object.entries(options).flatMap(([option, form]) =>
      OPTIONS[form](option).map((before) =>
        made(command + before, letters(), (secret) => `${command}-x 1 ${before}${secret} https://example.com`),
      ),
    ),
  ),
  made("curl -sSu", letters(), (secret) => `curl -sS -uname:${secret} https://example.com`),
  made("aws configure", source.chars(BASE64, 40), (secret) => `AWS Secret Access Key [None]: ${secret}`),
  made("a signed address", value(), (secret) => `https://a.blob.core.windows.net/b?sv=1&sig=${secret}%3D`),
  made(
    "a signed address of AWS",
    source.chars(HEX, 64),
    (secret) => `https://b.s3.amazonaws.com/k?X-Amz-Signature=${secret}`,
  ),
  made("an address", letters(), (secret) => `postgres://app:${secret}@db.internal/orders`),
  { name: "a key without an end", text: ["-----BEGIN RSA PRIVATE KEY-----", ...cut].join("\n"), parts: cut },
  { name: "a long key without an end", text: ["-----BEGIN PRIVATE KEY-----", ...long].join("\n"), parts: long },
  {
    name: "a key",
    text: ["-----BEGIN EC PRIVATE KEY-----", ...whole, "-----END EC PRIVATE KEY-----"].join("\n"),
    parts: whole,
  },
];

const lines = (text: string, prefix: (line: number) => string) =>
  text
    .split("\n")
    .map((line, at) => prefix(at + 2) + line)
    .join("\n");

/** Forms in which tools print a text. Forms that wrap a text can be nested. */
const PRINTINGS: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  "between lines": (text) => `$ cat it\n${text}\n\n$ echo done\ndone\n`,
  "JSON in JSON": (text) => JSON.stringify({ out: JSON.stringify({ text }) }),
  JSON: (text) => JSON.stringify({ stdout: `${text}\n` }),
  "coloured lines": (text) => lines(text, () => "\u001b[32m").replaceAll("\n", "\u001b[0m\n"),
  "coloured words": (text) => text.replaceAll(/[A-Za-z0-9+/_-]{6,}/g, (word) => `\u001b[1;31m${word}\u001b[0m`),
  "coloured beginnings": (text) =>
    text.replaceAll(
      /[A-Za-z0-9_]{3,}/g,
      (word) => `\u001b[01;31m\u001b[K${word.slice(0, 3)}\u001b[m\u001b[K${word.slice(3)}`,
    ),
  "coloured in JSON": (text) => JSON.stringify({ text: lines(text, () => "\u001b[33m") }),
  "colours that are spelled": (text) => lines(text, () => "\\x1b[31m"),
  "cat -n": (text) => lines(text, (line) => `${String(line).padStart(6)}\t`),
  Read: (text) => lines(text, (line) => `${String(line).padStart(6)}→`),
  "grep -n": (text) => lines(text, (line) => `${line}:`),
  "grep -rn": (text) => lines(text, (line) => `deploy/key.pem:${line}:`),
  "grep -C": (text) => lines(text, (line) => `.env-${line}-`),
  "added in a diff": (text) => lines(text, () => "+"),
  "removed in a diff": (text) => lines(text, () => "-"),
  "quoted twice": (text) => lines(text, () => "> > "),
  "compose logs": (text) => lines(text, () => "web-1  | "),
  "logs with moments": (text) => lines(text, () => "2026-01-02T10:00:00.123456Z "),
  bat: (text) => lines(text, (line) => `${String(line).padStart(4)} │ `),
  "Read in JSON": (text) => JSON.stringify({ result: lines(text, (line) => `${String(line).padStart(6)}→`) }),
  "a coloured diff": (text) => lines(text, () => "\u001b[32m+").replaceAll("\n", "\u001b[m\n"),
};

/**
 * Removes the color codes that tools put into lines, because a reader can still read a secret through color codes.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is left out
const readable = (text: string) => text.replaceAll(/(?:\u001b|\\{1,4}u001b)\[[\d;]*[A-Za-z]/g, "");

/** Kinds that an organization enables or defines, and kinds with separate tests. */
const SWITCHED_ON = ["random-value", "email", "phone", "iban", "card-number", "header", "unscanned"];

describe("redaction of secrets in tool output", () => {
  it("is tested for every kind that the rules declare and docs/privacy.md documents", () => {
    const drawnKinds = new Set(KINDS.flatMap(({ text }) => findSecrets(text).found.map(({ kind }) => kind)));
    expect([...BUILT_IN_KINDS].filter((kind) => !drawnKinds.has(kind) && !SWITCHED_ON.includes(kind))).to.deep.equal(
      [],
    );
    const page = readFileSync("docs/privacy.md", "utf8");
    const [, taken = ""] = /## What is redacted\n(.*?)\n## /s.exec(page) ?? [];
    const documented = [...taken.matchAll(/^\| (`.*?`) \|/gm)].flatMap(
      ([, cell = ""]) => cell.match(/[a-z-]{3,}/g) ?? [],
    );
    expect(documented.filter((kind) => !BUILT_IN_KINDS.has(kind))).to.deep.equal([]);
    const vendors = new Set(TOKEN_RULES.map(({ kind }) => kind));
    const undocumented = [...BUILT_IN_KINDS].filter((kind) => !vendors.has(kind) && !page.includes(`\`${kind}\``));
    expect(undocumented).to.deep.equal([]);
  });

  for (const [printing, print] of Object.entries(PRINTINGS)) {
    it(`redacts secrets in the form: ${printing}`, () => {
      const missed = KINDS.filter(({ text, parts }) => {
        const redacted = readable(redactor.text(print(text)));
        return parts.some((part) => redacted.includes(part));
      });
      expect(missed.map(({ name, text }) => `${name}: ${text.slice(0, 60)}`)).to.deep.equal([]);
    });
  }

  it("keeps all surrounding text byte for byte", () => {
    const secret = `ghp_${source.chars(ALNUM, 36)}`;
    const [before, after] = ["\u001b[32m  12→\u001b[1mlogin \u001b[31m", "\u001b[0m --region eu\u001b[K\n  13→ok\n"];
    expect(redactor.text(before + secret + after)).to.equal(`${before}${redactor.text(secret)}${after}`);
    for (const print of Object.values(PRINTINGS)) {
      const text = print("export const region = 'eu-west-1';\nconst total = 12;\n> quoted\n");
      expect(redactor.text(text)).to.equal(text);
    }
  });
});
