import { expect } from "chai";
import { redactorFor } from "../../redaction/index.ts";
import { TOKENS } from "../../redaction/vendors.ts";
import { ALNUM, BASE64, DIGITS, HEX, LOWER, type Random, random, UPPER, WORD } from "./corpus/random.ts";

const redactor = redactorFor(new Uint8Array(32), "an organization");

/** Something that a tool prints, and the parts of it that nobody may read. */
interface Printed {
  name: string;
  text: string;
  parts: readonly string[];
}

const SETS: Readonly<Record<string, string>> = {
  ...{ digit: DIGITS, hex: HEX, anyhex: HEX, base32: `${UPPER}234567`, upper: UPPER + DIGITS, lower: LOWER + DIGITS },
  ...{ alnum: ALNUM, word: ALNUM, base64: ALNUM, token68: ALNUM, pad: "=" },
};

/** A token of a spelling, as long as it has to be and drawn by chance. */
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

const cut = key(6);
const long = key(400);
const whole = key(12);
const KINDS: readonly Printed[] = [
  ...TOKENS.map(({ kind, spelling }) => {
    const secret = drawn(spelling, source);
    return { name: kind, text: `value ${secret}`, parts: [secret.slice(-16)] };
  }),
  ...["Token", "ApiKey", "Bearer", "Basic", "Negotiate", "SSWS", "GenieKey"].map((scheme) =>
    made(`Authorization: ${scheme}`, value(), (secret) => `Authorization: ${scheme} ${secret}`),
  ),
  made("a scheme and letters", letters(), (secret) => `Authorization: Token ${secret}`),
  made("a bare key", value(), (secret) => `authorization: ${secret}`),
  made("AUTHORIZATION", letters(), (secret) => `AUTHORIZATION=${secret}`),
  made("digest", value(), (secret) => `Authorization: Digest username="ada", realm="r", response="${secret}"`),
  made("a variable", letters(), (secret) => `DB_PASSWORD=${secret}`),
  made("a variable in YAML", letters(), (secret) => `POSTGRES_PASSWORD: ${secret}`),
  made("an option", value(), (secret) => `deploy --token ${secret}`),
  made("curl -u", letters(), (secret) => `curl -sS -uname:${secret} https://example.com`),
  made("curl --user", letters(), (secret) => `curl --user name:${secret} https://example.com`),
  made("curl -b", letters(), (secret) => `curl -b session=${secret} https://example.com`),
  made("mysql -p", letters(), (secret) => `mysql -h db -u app -p${secret} orders`),
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

/** The forms in which tools print a text. Those that are no text of their own may be put into one another. */
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

/** The text of lines without what tools put before them: a secret may still be read through it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is left out
const readable = (text: string) => text.replaceAll(/(?:\u001b|\\{1,4}u001b)\[[\d;]*[A-Za-z]/g, "");

describe("secrets as tools print them", () => {
  for (const [printing, print] of Object.entries(PRINTINGS)) {
    it(`are taken out: ${printing}`, () => {
      const missed = KINDS.filter(({ text, parts }) => {
        const redacted = readable(redactor.text(print(text)));
        return parts.some((part) => redacted.includes(part));
      });
      expect(missed.map(({ name, text }) => `${name}: ${text.slice(0, 60)}`)).to.deep.equal([]);
    });
  }

  it("leave all that stands around them byte for byte", () => {
    const secret = `ghp_${source.chars(ALNUM, 36)}`;
    const [before, after] = ["\u001b[32m  12→\u001b[1mlogin \u001b[31m", "\u001b[0m --region eu\u001b[K\n  13→ok\n"];
    expect(redactor.text(before + secret + after)).to.equal(`${before}${redactor.text(secret)}${after}`);
    for (const print of Object.values(PRINTINGS)) {
      const text = print("export const region = 'eu-west-1';\nconst total = 12;\n> quoted\n");
      expect(redactor.text(text)).to.equal(text);
    }
  });
});
