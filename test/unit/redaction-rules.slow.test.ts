import { createHash } from "node:crypto";
import { expect } from "chai";
import { createRedactor, findSecrets } from "../../redaction/index.ts";
import { corpus, isGone } from "../redaction/corpus/index.ts";
import { HELD_OUT, KINDS } from "../redaction/corpus/kinds.ts";
import { ALNUM, HEX, type Random, random } from "../redaction/corpus/random.ts";

const redactor = createRedactor(new Uint8Array(32), "an organization");
const MIB = 1024 * 1024;
/** Maximum number of characters examined behind triggers, per character of the text. */
const MOST_STEPS = 150;

const hash = (source: Random, algorithm: string, encoding: "hex" | "base64") =>
  createHash(algorithm).update(source.chars(ALNUM, 9)).digest(encoding);
const uuid = (source: Random) => [8, 4, 4, 4, 12].map((length) => source.chars(HEX, length)).join("-");

const CLEAN: readonly ((source: Random) => string)[] = [
  (source) => `commit ${hash(source, "sha1", "hex")}\nAuthor: A <a@example.com>\n\n    Fix the token of a session`,
  (source) => `${hash(source, "sha256", "hex")}  dist/token.js`,
  (source) => `"integrity": "sha512-${hash(source, "sha512", "base64")}",`,
  (source) => `"resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz#${hash(source, "sha1", "hex")}"`,
  (source) => `session_id=${uuid(source)} trace=${source.chars(HEX, 32)} span=${source.chars(HEX, 16)}`,
  (source) => `<script src="a.js" integrity="sha384-${hash(source, "sha384", "base64")}"></script>`,
  (source) => `index ${source.chars(HEX, 7)}..${source.chars(HEX, 7)} 100644`,
  (source) => `etag: W/"${source.chars(HEX, 32)}"\ncontent-length: 1024\nx-request-id: ${uuid(source)}`,
  (source) => `"input_tokens": ${source.below(9e6)}, "max_tokens": 4096, "cache_key": "v1-${source.chars(HEX, 12)}"`,
  (source) => `docker.io/library/node@sha256:${source.chars(HEX, 64)}`,
];

const CODE = [
  "const token = await getToken(request.headers.authorization);",
  "if (password !== confirmPassword) throw new Error(password);",
  'env: { API_KEY: process.env["API_KEY"], DB_PASSWORD: "$DB_PASSWORD" }',
  "export GITHUB_TOKEN=$(gh auth token)",
  "curl -H 'Authorization: Bearer $TOKEN' https://api.example.com",
  "postgres://user:password@localhost:5432/app",
  "https://example.com/path?q=a@b",
  'type Secret = { secret: string; token?: Token; apiKey: "your-api-key" };',
  "cookie: cookie.serialize(name, value, { httpOnly: true })",
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
  "The secret: never tell. A token is a word. basic auth is old. Bearer of news.",
];

/** Texts without secrets that are expensive to scan. The test repeats each text to one MiB. */
const HOSTILE = {
  "beginnings of tokens": "ghp_ sk- xoxb- eyJ glpat- ",
  "one word of tokens": "eyJ",
  "JSON web tokens over lines": "eyJaaaaaaaaaaaaa\n",
  "dots of JSON web tokens": "eyJaaaaaaaaaaaaa.",
  "keys that never end": "-----BEGIN PRIVATE KEY-----\n",
  "keys in a key": `-----BEGIN RSA PRIVATE KEY-----${"A".repeat(60)}`,
  names: "password",
  "names and separators": "password=",
  "names and quotes": 'token="',
  "names and escaped quotes": 'token=\\"',
  "quotes of every depth": 'secret=\'token="api_key=`password=\\"',
  cookies: "cookie: a=",
  addresses: "://a:",
  "addresses without an end": "http://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:",
  schemes: "bearer ",
  "basic credentials": "basic aaaaaaaaaaaa",
  backslashes: "\\",
  "escapes of escapes": "\\\\u0041\\/",
  "line breaks": "ghp_aaaaaaaaaaaa\\\n",
  "blanks behind a name": "password      ",
};

/** Short and usual secrets, repeated without other text between. */
const DENSE = {
  variables: "A_TOKEN=x1y2\n",
  passwords: "DB_PASSWORD=k3J9aQz81mPx\n",
  tokens: `ghp_${random(6).chars(ALNUM, 36)} `,
  headers: `bearer ${random(6).chars(ALNUM, 36)}\n`,
};

describe("redaction", () => {
  it("finds at least 99 % of the planted secrets of every kind, including held-out kinds", () => {
    const samples = corpus();
    expect([samples.length >= 2_000, KINDS.length, HELD_OUT.size]).to.deep.equal([true, 40, 10]);
    for (const { name } of KINDS) {
      const own = samples.filter(({ kind }) => kind === name);
      const missed = own.filter((sample) => !isGone(sample, redactor.text(sample.text)));
      expect(missed.length / own.length, `${name}: ${missed[0]?.text}`).to.be.at.most(0.01);
    }
  });

  it("keeps the text around a secret", () => {
    const secret = `ghp_${random(3).chars(ALNUM, 36)}`;
    const text = `before\n$ login ${secret} --region eu\nafter`;
    expect(redactor.text(text)).to.match(/^before\n\$ login \[redacted:github-token:[0-9a-f]{4}\] --region eu\nafter$/);
  });

  it("redacts a value that continues on the next line, and keeps the line after a complete value", () => {
    const value = random(6).chars(ALNUM, 72);
    const [first, rest] = [value.slice(0, 48), value.slice(48)];
    const whole = /^client_secret=\[redacted:secret:[0-9a-f]{4}\]/;
    expect(redactor.text(`client_secret=${first}\n${rest}\nready`)).to.match(new RegExp(`${whole.source}\\nready$`));
    expect(redactor.text(`client_secret=${first}\nready`)).to.match(new RegExp(`${whole.source}\\nready$`));
  });

  it("finds nothing in redacted text", () => {
    for (const { text } of corpus()) {
      const once = redactor.text(text);
      expect(redactor.text(once)).to.equal(once);
    }
  });

  it("gives a secret the same hint each time, and a different hint in another organization", () => {
    const secret = `npm_${random(4).chars(ALNUM, 36)}`;
    const of = (organization: string) => createRedactor(new Uint8Array(32), organization).text(secret);
    expect(of("a")).to.equal(of("a"));
    expect(["b", "c", "d"].some((other) => of(other) !== of("a"))).to.equal(true);
  });

  it("keeps hashes, commits, UUIDs, SRIs and lock files", () => {
    const source = random(5);
    for (const line of Array.from({ length: 2_000 }, () => source.pick(CLEAN)(source))) {
      expect(redactor.text(line)).to.equal(line);
    }
  });

  it("keeps code about secrets", () => {
    for (const line of CODE) expect(redactor.text(line)).to.equal(line);
  });

  for (const [name, unit] of Object.entries(DENSE)) {
    it(`reads a text that consists of secrets about once: ${name}`, () => {
      const { found, steps } = findSecrets(unit.repeat(1_000));
      expect(found).to.have.length(1_000);
      expect(steps).to.be.at.most(2 * unit.length * 1_000);
    });
  }

  for (const [name, unit] of Object.entries(HOSTILE)) {
    it(`examines each character of hostile text a limited number of times: ${name}`, () => {
      const text = unit.repeat(Math.ceil(MIB / unit.length));
      expect(findSecrets(text).steps).to.be.at.most(MOST_STEPS * text.length);
    });
  }
});
