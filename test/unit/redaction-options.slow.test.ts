import { expect } from "chai";
import fc from "fast-check";
import { createRedactor, DEFAULT_OPTIONS, findPatternFault, type RedactionOptions } from "../../redaction/index.ts";
import { findPatternMatches } from "../../redaction/options.ts";
import { compilePattern, MAX_MATCH_CHARS } from "../../redaction/pattern.ts";
import { corpus } from "../redaction/corpus/index.ts";
import { IMPERSONAL, personalCorpus } from "../redaction/corpus/personal.ts";
import { ALNUM, LOWER, random, UPPER } from "../redaction/corpus/random.ts";
import { scaleRuns } from "../support/run/runs.ts";

const redactorWith = (options: Partial<RedactionOptions>) =>
  createRedactor(new Uint8Array(32), "an organization", { ...DEFAULT_OPTIONS, ...options });
const MIB = 1024 * 1024;

describe("redaction of personal data", () => {
  const redactor = redactorWith({ personalData: true });

  it("finds at least 99 % of each kind, and reports the right kind", () => {
    const samples = personalCorpus();
    for (const kind of new Set(samples.map((sample) => sample.kind))) {
      const own = samples.filter((sample) => sample.kind === kind);
      const missed = own.filter(({ text, value }) => {
        const kept = redactor.text(text);
        return kept.includes(value) || !kept.includes(`[redacted:${kind}:`);
      });
      expect(missed.length / own.length, `${kind}: ${missed[0]?.text}`).to.be.at.most(0.01);
    }
  });

  it("ignores order numbers, times, versions, ids, hashes and checksums", () => {
    const source = random(8);
    for (const line of Array.from({ length: 4_000 }, () => source.pick(IMPERSONAL)(source)))
      expect(redactor.text(line)).to.equal(line);
  });

  it("does nothing when switched off", () => {
    for (const { text } of personalCorpus()) expect(redactorWith({}).text(text)).to.equal(text);
  });

  it("ignores IBANs and card numbers with a wrong check digit", () => {
    const numbers = personalCorpus().filter(({ kind }) => kind === "iban" || kind === "card-number");
    for (const { kind, value } of numbers) {
      const other = value.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
      expect(redactor.text(other)).not.to.contain(`[redacted:${kind}`);
    }
  });
});

describe("redaction of random values after a revealing name", () => {
  const redactor = redactorWith({ entropy: true });

  it("redacts random letters, which no other rule finds, and keeps words", () => {
    const source = random(9);
    for (let index = 0; index < 200; index += 1) {
      const value = source.chars(LOWER + UPPER, 40);
      const text = `client_secret: "${value}"`;
      expect(redactor.text(text)).not.to.contain(value);
      expect(redactorWith({}).text(text)).to.equal(text);
      expect(redactor.member("clientSecret", value)).to.match(/^\[redacted:random-value:[0-9a-f]{4}\]$/);
      expect(redactor.text(`commit: "${value}"`)).to.contain(value);
    }
    for (const text of [
      "const accessToken = readTheAccessTokenOfTheSession(request);",
      'password: "correct-horse-battery-staple"',
      "secret: /var/run/secrets/kubernetes.io/serviceaccount",
    ])
      expect(redactor.text(text)).to.equal(text);
  });
});

describe("redaction by an organization's own pattern", () => {
  const acme = { name: "acme-key", pattern: "acme_(?:live|test)_[A-Za-z0-9]{12,}" };

  it("redacts complete matches under the pattern's name, and keeps the rest", () => {
    const redactor = redactorWith({ patterns: [acme, { name: "employee", pattern: "\\bE-\\d{5}\\b" }] });
    const text = `E-12345 acme_live_${"a1".repeat(200)} acme_prod_abcdefabcdef xE-12345 E-123456`;
    expect(redactor.text(text)).to.match(
      /^\[redacted:employee:[0-9a-f]{4}\] \[redacted:acme-key:[0-9a-f]{4}\] acme_prod_abcdefabcdef xE-12345 E-123456$/,
    );
    expect(redactor.text(redactor.text(text))).to.equal(redactor.text(text));
  });

  it("does not change marks of the built-in rules", () => {
    const redactor = redactorWith({ patterns: [{ name: "any", pattern: "[a-z0-9:_-]{4,}" }], personalData: true });
    for (const { text } of corpus().slice(0, 300)) {
      const marks = (redacted: string) => redacted.match(/\[redacted:(?!any)[a-z-]+:[0-9a-f]{4}\]/g) ?? [];
      const once = redactorWith({ personalData: true }).text(text);
      expect(marks(redactor.text(once))).to.deep.equal(marks(once));
    }
  });

  for (const [pattern, cure] of [
    ["a*", "at least 3 characters"],
    ["", "at least 3 characters"],
    ["x{300}", "lower its counts"],
    ["(a+)+$", "allowed are"],
    ["^abc", "allowed are"],
    ["abc|def", "allowed are"],
    ["(?=abc)abc", "allowed are"],
    ["(abc)\\1", "allowed are"],
    ["[z-a]{5}", "a range goes from the lower"],
    ["[a-z]+[a-z0-9]{3}", "leave it out of one of their sets"],
    ["foo.*bar", "leave it out of one of their sets"],
    ["(?:live|list)_\\d{4}", "write what they share before them"],
    ["\\d{9,4}", "the wrong way round"],
    ["schlüssel", "ASCII"],
  ] as const)
    it(`refuses a pattern and suggests a fix: ${pattern || "nothing"}`, () =>
      expect(findPatternFault(pattern)).to.contain(cure));

  /** Patterns of the supported subset, and texts of the same characters. */
  const sets = fc.constantFrom(
    "a",
    "[ab]",
    "\\d",
    "[a-c]",
    "[^a]",
    "b",
    "-",
    ".",
    "\\w",
    "(?:a|b)",
    "(?:ab|c)?",
    "\\b",
    "xyz",
  );
  const counts = fc.constantFrom("", "", "", "+", "?", "{2,9}", "{3}", "{0,60}", "*", "{2,}");
  const patterns = fc
    .array(fc.tuple(sets, counts), { minLength: 1, maxLength: 6 })
    .map((parts) =>
      parts
        .map(([set, count]) =>
          set.includes("(") || set === "\\b" || (set.length > 2 && !set.startsWith("[")) ? set : set + count,
        )
        .join(""),
    )
    .filter((pattern) => findPatternFault(pattern) === undefined);
  const units = fc.stringMatching(/^[abc1 -]{1,12}$/).filter((unit) => unit !== "");

  it("examines each character of a hostile text a limited number of times, for any pattern", () => {
    fc.assert(
      fc.property(patterns, units, fc.constantFrom("", "xyz", "aab"), (pattern, unit, end) => {
        const text = unit.repeat(Math.ceil(MIB / 8 / unit.length)) + end;
        const { steps } = findPatternMatches("own", compilePattern(pattern), text);
        expect(steps).to.be.at.most((MAX_MATCH_CHARS + pattern.length) * (text.length + 1));
      }),
      { numRuns: scaleRuns(200) },
    );
    const dearest = compilePattern("[ab]{3,250}!");
    const stepsOf = (length: number) => findPatternMatches("own", dearest, "ab".repeat(length / 2)).steps;
    expect(stepsOf(MIB) / stepsOf(MIB / 2)).to.be.closeTo(2, 0.01);
  });

  it("matches the same as the regular expression if no backtracking is needed", () => {
    fc.assert(
      fc.property(
        patterns.filter((pattern) => !/\\b|[*+]|,\}/.test(pattern)),
        fc.stringMatching(/^[abcxyz1 -]{0,80}$/),
        (pattern, text) => {
          const found = findPatternMatches("own", compilePattern(pattern), text).found.map(({ start, end }) =>
            text.slice(start, end),
          );
          expect(found).to.deep.equal(text.match(new RegExp(pattern, "g")) ?? []);
        },
      ),
      { numRuns: scaleRuns(2_000) },
    );
  });

  it("matches in bytes where it matches in text", () => {
    const redactor = redactorWith({ patterns: [acme] });
    const source = random(10);
    for (let at = 0; at < 200; at += 1) {
      const text = `${source.chars(ALNUM, at)}acme_test_${source.chars(ALNUM, 12)}`;
      const bytes = Buffer.from(text);
      const range = (to: number) => ({ bytes, words: new Int32Array(Math.ceil(text.length / 4)), from: 0, to });
      expect([redactor.mayHoldMore(range(text.length)), redactor.mayHoldMore(range(at))]).to.deep.equal([true, false]);
    }
  });
});
