import { expect } from "chai";
import { TRIGGER_TEXTS } from "../../redaction/find.ts";
import {
  createRedactor,
  DEFAULT_OPTIONS,
  findSecrets,
  type RedactionOptions,
  STEPS_PER_CHARACTER,
  STEPS_PER_TEXT,
} from "../../redaction/index.ts";
import { random } from "../redaction/corpus/random.ts";

const redactorWith = (options: Partial<RedactionOptions> = {}) =>
  createRedactor(new Uint8Array(32), "an organization", { ...DEFAULT_OPTIONS, ...options });

/** Separators between repetitions of a literal. */
const BETWEEN = [
  ...["", " ", "=", ":", "=1", ":1", "=a1", ": a", "-", "_", ".", "/", "@", '"', "='", '="a', '=\\"', "\\", ",", "&"],
  ...[
    "\n",
    "\\n",
    "\n+",
    "a1b2c3d4e5f6\n",
    "a1b2c3d4e5f6",
    "=$",
    "=/",
    "=x;",
    "\u001b[31m",
    "\\u0041",
    "=aa bb",
    "%20",
    "|",
    ")",
    "é",
  ],
];
const LENGTH = 400;

/** Texts that repeat a literal and a separator. */
const texts = TRIGGER_TEXTS.flatMap((literal) =>
  BETWEEN.map((between) => (literal + between).repeat(Math.ceil(LENGTH / (literal + between).length))),
);

const SWITCHED: Readonly<Record<string, Partial<RedactionOptions>>> = {
  "the built-in rules": {},
  "personal data and entropy": { personalData: true, entropy: true },
  "twenty patterns": {
    patterns: Array.from({ length: 20 }, (_, at) => ({
      name: `own-${at}`,
      pattern: `[a-${"fghijklmnopqrstuvwxyz"[at]}]*\\d{3}`,
    })),
  },
};

describe("the steps of redaction", () => {
  for (const [name, options] of Object.entries(SWITCHED)) {
    it(`are at most 64 per character, for any repeated text: ${name}`, () => {
      const redactor = redactorWith(options);
      let worst = { rate: 0, text: "" };
      for (const text of name === "the built-in rules" ? texts : texts.filter((_, at) => at % 11 === 0)) {
        const before = redactor.steps;
        const redacted = redactor.text(text);
        const rate = (redactor.steps - before) / text.length;
        if (rate > worst.rate) worst = { rate, text: text.slice(0, 40) };
        if (!options.patterns) expect(redacted, text.slice(0, 40)).not.to.contain("[redacted:unscanned:");
      }
      expect(worst.rate, JSON.stringify(worst.text)).to.be.at.most(STEPS_PER_CHARACTER);
    });
  }

  it("per character are as many for a long text as for a short text", () => {
    for (const unit of ["_KEY=1", "eyJ-", "pwd:1", "pwd:a", "token:a=", 'secret="\\"', "sk-a-", "Authorization: a "]) {
      const rate = (length: number) => findSecrets(unit.repeat(length / unit.length)).steps / length;
      expect(rate(400_000), unit).to.be.at.most(1.1 * rate(20_000) + 0.1);
    }
  });

  it("are limited per text: the rest of the text is withheld, and the steps are counted", () => {
    const parts = ["[ab][abc]", "[abc][ab]", "[abd][ab]"].join("").repeat(7);
    const patterns = Array.from({ length: 20 }, (_, at) => ({
      name: `own-${at}`,
      pattern: `${parts}${"xyzwvutsrqponmlkjihg"[at]}`,
    }));
    const redactor = redactorWith({ patterns });
    const secret = `ghp_${random(41).chars("abcdefghijkmnp0123456789", 36)}`;
    const text = `${"ab".repeat(20_000)} ${secret} SECRET-END`;
    const before = redactor.steps;
    const redacted = redactor.text(text);
    expect(redactor.steps - before).to.be.at.most(STEPS_PER_CHARACTER * text.length + STEPS_PER_TEXT);
    expect(redacted).to.match(/^(?:ab)*a?\[redacted:unscanned:[0-9a-f]{4}\]$/);
    expect(redacted.length).to.be.above(1_000);
    expect(redactor.text(redacted)).to.contain("[redacted:unscanned:");
  });

  it("can run in slices with the same result", () => {
    const source = random(42);
    const unit = () =>
      source.pick([
        "DB_PASSWORD=k3J9aQz81mPx\n",
        `ghp_${source.chars("abc123", 36)} `,
        "plain words\n",
        "bob@acme.dev ",
      ]);
    const text = Array.from({ length: 20_000 }, unit).join("");
    const redactor = redactorWith({ personalData: true, patterns: [{ name: "own", pattern: "pl[a-z]{3}" }] });
    const slices = redactor.inSlices(text);
    let [pauses, longest, next] = [0, 0, slices.next()];
    for (let from = process.cpuUsage(); !next.done; from = process.cpuUsage()) {
      next = slices.next();
      longest = Math.max(longest, process.cpuUsage(from).user / 1_000);
      pauses += 1;
    }
    expect(next.value).to.equal(redactor.text(text));
    expect(pauses).to.be.above(4);
  });
});
