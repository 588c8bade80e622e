import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { createRedactor, DEFAULT_OPTIONS, type Redactor } from "../../redaction/index.ts";
import {
  computeScanCost,
  createSecretScanner,
  type RequestScan,
  SCAN_TAKES_LONG_ERROR,
} from "../../server/scans/index.ts";
import { createScanPool } from "../../server/scans/pool.ts";
import type { ScanResult } from "../../server/scans/thread.ts";
import { type ScanThread, ScanThreadLostError, ScanThreadUnavailableError } from "../../server/scans/worker.ts";
import { scaleRuns } from "../support/run/runs.ts";

const SECRET = new Uint8Array(32).fill(7);
const KIB = 1024;
/** Text that is cheap to scan but estimated as slow, because the text is full of triggers. */
const full = (length: number) => `aws_secret_access_key=AKIAIOSFODNN7EXAMPLE ${"AUTH ".repeat(length / 5)}`;

/** A fake scan thread that responds with `answer`. */
const madeUp = (answer: (text: string) => Promise<ScanResult>): ScanThread => ({
  scan: (_rules, { text }) => answer(text),
  hasEnded: () => false,
  end() {},
});

describe("redaction of long text", () => {
  it("gives the same result on another thread as on this thread, for any pieces and boundaries", async () => {
    const piece = fc.constantFrom(
      ...["password=hunter2hunter2", "\\u0070assword=abcdefgh1", "Bearer abcdefghijklmnop", "ghp_", "a".repeat(300)],
      ...[
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        "ünï\n",
        "[redacted:secret:abcd] ",
        " ",
      ],
      full(2 * KIB),
    );
    const property = fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 60 }), async (pieces) => {
      const text = pieces.join("") + full(17 * KIB);
      const whole = createRedactor(SECRET, "o").text(text);
      const scan = createSecretScanner(SECRET, "o").patient();
      expect(await scan.run((redactor) => redactor.text(text))).to.equal(whole);
      expect(scan.steps()).to.be.greaterThan(0);
    });
    await fc.assert(property, { numRuns: scaleRuns(50) });
  });

  it("gives work that searches the redacted text the same result as with one thread", async () => {
    const args = () => ({
      list: [full(20 * KIB), "short password=hunter2hunter2", full(30 * KIB)],
      name: full(17 * KIB),
    });
    const work = (redactor: Redactor) => {
      const { list, name } = args();
      const joined = JSON.stringify(list.map((each) => redactor.text(each)));
      return [redactor.text(joined), redactor.member("title", name), redactor.text(full(40 * KIB))];
    };
    const got = await createSecretScanner(SECRET, "o").patient().run(work);
    expect(got).to.deep.equal(work(createRedactor(SECRET, "o")));
  });

  it("is not remembered by a quick scan, nor for many short texts of a step; the next step starts anew", () => {
    const scan = createSecretScanner(SECRET, "o").quick();
    const short = full(10 * KIB);
    expect(() => scan.run((redactor) => redactor.text(full(20 * KIB)))).to.throw(SCAN_TAKES_LONG_ERROR);
    expect(() => scan.run((redactor) => [short, short].map((text) => redactor.text(text)))).to.throw(
      SCAN_TAKES_LONG_ERROR,
    );
    for (let step = 0; step < 5; step += 1) {
      scan.next();
      expect(scan.redactor.text(short)).to.contain("[redacted:");
    }
    // A long text without triggers is cheap.
    expect(scan.run((redactor) => redactor.text("x".repeat(1024 * KIB)))).to.have.length(1024 * KIB);
  });

  it("uses another thread also if only an organization's own rules make the text slow", async () => {
    const options = { ...DEFAULT_OPTIONS, patterns: [{ name: "own", pattern: "id-[0-9]{4}" }] };
    const text = `id-1234 ${"x".repeat(20 * KIB)}`;
    expect(() =>
      createSecretScanner(SECRET, "o", options)
        .quick()
        .run((redactor) => redactor.text(text)),
    ).to.throw(SCAN_TAKES_LONG_ERROR);
    const kept = await createSecretScanner(SECRET, "o", options)
      .patient()
      .run((redactor) => redactor.text(text));
    expect(kept).to.match(/^\[redacted:own:/);
  });

  it("replaces the whole text by a mark if scan threads fail, and never stores the original", async () => {
    let starts = 0;
    const lost = () => {
      starts += 1;
      return madeUp(() => Promise.reject(new ScanThreadLostError()));
    };
    const scan = createSecretScanner(
      SECRET,
      "o",
      DEFAULT_OPTIONS,
      createScanPool({ start: lost, threads: 1 }),
    ).patient();
    const text = full(20 * KIB);
    expect(await scan.run((redactor) => redactor.text(text))).to.match(/^\[redacted:unscanned:[0-9a-f]{4}\]$/);
    expect(starts, "attempts").to.be.within(1, 2);
    expect(scan.steps(), "is charged").to.be.at.least(64 * text.length);
  });

  it("ends a thread that takes too long, and starts another thread for the next text", async () => {
    const pool = createScanPool({ threads: 1, longestMs: 1, longestMsOfMib: 0 });
    const rules = { secret: SECRET, organizationId: "o", options: DEFAULT_OPTIONS };
    // A thread needs more than a millisecond to start, so the pool treats this thread as failed to start.
    const refused = await pool.scan(rules, { text: full(20 * KIB) }).catch((error) => error);
    expect(refused).to.include({ kind: "unavailable" });
    const patient = createScanPool({ threads: 1 });
    expect((await patient.scan(rules, { text: full(20 * KIB) }))?.text).to.contain("[redacted:");
  });

  it("is refused with a time to retry if no thread can start or too many texts wait", async () => {
    const text = full(20 * KIB);
    const none = createScanPool({ start: () => madeUp(() => Promise.reject(new ScanThreadUnavailableError())) });
    const asked = { text };
    const rules = (organizationId: string) => ({ secret: SECRET, organizationId, options: DEFAULT_OPTIONS });
    const refusal = await none.scan(rules("o"), asked).catch((error) => error);
    expect(refusal).to.include({ kind: "unavailable" });
    expect(refusal.details.retryAfter).to.be.at.least(1);

    const answers: (() => void)[] = [];
    const slow = () => madeUp((own) => new Promise((resolve) => answers.push(() => resolve({ text: own, steps: 1 }))));
    const pool = createScanPool({ start: slow, threads: 2, most: 3 * text.length, mostOfEach: 2 * text.length });
    const first = [pool.scan(rules("o"), asked), pool.scan(rules("o"), asked)];
    expect(await pool.scan(rules("o"), asked).catch(({ kind }) => kind)).to.equal("unavailable");
    // The text of another organization gets a thread although the first organization has more texts waiting.
    const other = pool.scan(rules("p"), asked);
    expect(answers, "one of each").to.have.length(2);
    expect(await pool.scan(rules("q"), asked).catch(({ kind }) => kind)).to.equal("unavailable");
    const settled = Promise.all([...first, other]);
    for (; answers.length > 0; await new Promise(setImmediate)) answers.shift()?.();
    expect(await settled).to.have.length(3);
    expect((await Promise.all([pool.scan(rules("q"), asked), answerSoon(answers)]))[0]?.text).to.equal(text);
  });

  it("costs points for steps beyond those that its events include", () => {
    expect([
      computeScanCost(1_999, 0),
      computeScanCost(2_000, 0),
      computeScanCost(2_000, 1),
      computeScanCost(10_000, 2),
    ]).to.deep.equal([...[0, 1, 0, 3]]);
  });

  it("passes on errors of the work unchanged", async () => {
    const scan: RequestScan = createSecretScanner(SECRET, randomUUID()).patient();
    const run = async (text: string) =>
      scan.run((redactor) => {
        if (redactor.text(text).includes("[redacted:")) throw new Error("what the work throws");
        throw new Error("what it throws of text that is not scanned yet");
      });
    expect(await run(full(20 * KIB)).catch(({ message }) => message)).to.equal("what the work throws");
  });
});

async function answerSoon(answers: (() => void)[]): Promise<void> {
  await new Promise(setImmediate);
  answers.shift()?.();
}
