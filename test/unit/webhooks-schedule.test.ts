import { expect } from "chai";
import { parseRetryAfterMs } from "../../formats/time.ts";
import { computeNextAttemptTime } from "../../server/stream/webhooks/record.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const tries = Array.from({ length: 10 }, (_, at) => at + 1);

describe("the schedule of delivery attempts", () => {
  it("has ten attempts: at once, then after 5 s, 1 m, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h and 24 h", () => {
    const pauses = tries.map((count) => computeNextAttemptTime(count, 0, null, 0));
    const seconds = [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 86_400].map((pause) => pause * SECOND);
    expect(pauses).to.deep.equal([...seconds, null]);
  });

  it("delays an attempt by up to a fifth, and never brings it forward", () => {
    const pauses = Array.from({ length: 1000 }, () => computeNextAttemptTime(1, 0, null) ?? 0);
    expect(Math.min(...pauses)).to.be.at.least(5 * SECOND);
    expect(Math.max(...pauses)).to.be.within(5.5 * SECOND, 6 * SECOND);
  });

  it("waits for a later Retry-After, for 24 hours at most", () => {
    const pauses = [1 * SECOND, 20 * SECOND, 1000 * HOUR].map((wish) => computeNextAttemptTime(1, 0, wish, 0));
    expect(pauses).to.deep.equal([5 * SECOND, 20 * SECOND, 24 * HOUR]);
  });

  it("reads Retry-After as seconds or as a date only", () => {
    const now = Date.UTC(2026, 0, 1);
    const texts = ["120", "Thu, 01 Jan 2026 00:01:00 GMT", "Wed, 31 Dec 2025 00:00:00 GMT", "soon", "-5", undefined];
    const read = texts.map((text) => parseRetryAfterMs(text, now));
    expect(read.slice(0, 4)).to.deep.equal([120 * SECOND, 60 * SECOND, 0, null]);
    expect(read.at(-1)).to.equal(null);
  });
});
