import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { createFairSemaphore } from "../../concurrency/fair-semaphore.ts";
import { scaleRuns } from "../support/run/runs.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (reason: string) => new Error(reason);

describe("a fair semaphore", () => {
  const callers = fc.array(
    fc.record({ priority: fc.constantFrom(0, 1), key: fc.constantFrom("a", "b", "c"), fails: fc.boolean() }),
    { maxLength: 60 },
  );

  it("lends at most its permits, in order of priority and the keys in turn, also after failures", async () => {
    const check = fc.asyncProperty(fc.integer({ min: 1, max: 3 }), callers, async (permits, places) => {
      const semaphore = createFairSemaphore(permits, { maxWaiting: 100, maxWaitMs: 5_000, refusal });
      const begun: { priority: number; key: string }[] = [];
      let [running, most] = [0, 0];
      const all = places.map(({ priority, key, fails }) =>
        semaphore.run({ priority: priority as 0 | 1, key }, async () => {
          begun.push({ priority, key });
          running += 1;
          most = Math.max(most, running);
          await settle();
          running -= 1;
          if (fails) throw new Error("fails");
        }),
      );
      const ends = await Promise.allSettled(all);
      expect(ends.map(({ status }) => status === "rejected")).to.deep.equal(places.map(({ fails }) => fails));
      expect([most, semaphore.waiting()]).to.deep.equal([Math.min(permits, places.length), 0]);
      // The first callers found free permits and did not wait.
      const waited = begun.slice(Math.min(permits, places.length));
      expect(waited.map(({ priority }) => priority)).to.deep.equal(waited.map(({ priority }) => priority).sort());
      for (const priority of [0, 1])
        expectTurns(waited.filter((one) => one.priority === priority).map(({ key }) => key));
    });
    await fc.assert(check, { numRuns: scaleRuns(100) });
  });

  /** While several keys wait, each of the other keys must be served before a key is served twice. */
  const expectTurns = (keys: string[]) => {
    for (const [at, key] of keys.entries()) {
      const next = keys.indexOf(key, at + 1);
      const between = keys.slice(at + 1, next < 0 ? at + 1 : next);
      for (const other of new Set(keys.slice(next < 0 ? keys.length : next))) {
        if (other !== key) expect(between, `${keys}: ${other} between two of ${key}`).to.include(other);
      }
    }
  };

  it("makes room in a full queue by refusing an entry of the key with most entries", async () => {
    const semaphore = createFairSemaphore(1, { maxWaiting: 10, maxWaitMs: 5_000, refusal });
    const outcomes: string[] = [];
    const run = (key: string, priority: 0 | 1 = 1) =>
      semaphore
        .run({ priority, key }, () => sleep(1))
        .then(
          () => outcomes.push(`${key} ran`),
          ({ message }: Error) => outcomes.push(`${key} ${message}`),
        );
    const flood = Array.from({ length: 30 }, () => run("flood"));
    const others = [run("one"), run("two"), run("login", 0)];
    await Promise.all([...flood, ...others]);
    const count = (outcome: string) => outcomes.filter((one) => one === outcome).length;
    expect([count("flood ran"), count("flood full")]).to.deep.equal([9, 21]);
    expect(["one", "two", "login"].map((key) => count(`${key} ran`))).to.deep.equal([1, 1, 1]);
  });

  it("refuses a caller that waits too long, and keeps its number of permits", async () => {
    const semaphore = createFairSemaphore(1, { maxWaiting: 10, maxWaitMs: 20, refusal });
    const held = semaphore.run({ priority: 0, key: "a" }, () => sleep(60));
    const late = await semaphore.run({ priority: 0, key: "a" }, settle).catch(({ message }) => message);
    expect([late, semaphore.waiting()]).to.deep.equal(["late", 0]);
    await held;
    await semaphore.run({ priority: 1, key: "a" }, settle);
  });
});
