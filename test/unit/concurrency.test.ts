import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { createCoalescer, createThrottledSchedule } from "../../concurrency/coalescer.ts";
import { createSemaphore } from "../../concurrency/semaphore.ts";
import { createAutoResetSignal } from "../../concurrency/signal.ts";
import { createJobQueue, runInSlices } from "../../concurrency/slices.ts";
import { scaleRuns } from "../support/run/runs.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("a semaphore", () => {
  it("never lends more permits than it has, and runs all work, also after failures", async () => {
    const plan = fc.array(fc.record({ fails: fc.boolean(), turns: fc.integer({ min: 1, max: 3 }) }), { maxLength: 40 });
    const check = fc.asyncProperty(fc.integer({ min: 1, max: 5 }), plan, async (permits, works) => {
      const semaphore = createSemaphore(permits);
      let running = 0;
      let most = 0;
      const all = works.map(({ fails, turns }) =>
        semaphore.run(async () => {
          running += 1;
          most = Math.max(most, running);
          for (let turn = 0; turn < turns; turn += 1) await settle();
          running -= 1;
          if (fails) throw new Error("fails");
        }),
      );
      const ends = await Promise.allSettled(all);
      expect(ends.map(({ status }) => status === "rejected")).to.deep.equal(works.map(({ fails }) => fails));
      expect(most).to.equal(Math.min(permits, works.length));
      expect(semaphore.waiting()).to.equal(0);
    });
    await fc.assert(check, { numRuns: scaleRuns(50) });
  });

  it("refuses callers when the queue is full or the wait is too long, and keeps its number of permits", async () => {
    const refusal = (reason: string) => new Error(reason);
    const semaphore = createSemaphore(1, { maxWaiting: 1, maxWaitMs: 20, refusal });
    const release = await semaphore.acquire();
    const late = semaphore.acquire().catch(({ message }) => message);
    expect(await semaphore.acquire().catch(({ message }) => message)).to.equal("full");
    expect(await late).to.equal("late");
    release();
    (await semaphore.acquire())();
  });
});

describe("work in slices", () => {
  it("lets other work run between slices, and resolves or rejects at its end", async () => {
    let others = 0;
    const other = setInterval(() => {
      others += 1;
    }, 1);
    function* slices(fails: boolean): Generator<void, string> {
      for (let slice = 0; slice < 5; slice += 1) {
        const begun = performance.now();
        while (performance.now() - begun < 3);
        yield;
      }
      if (fails) throw new Error("fails");
      return "done";
    }
    expect(await runInSlices(slices(false))).to.equal("done");
    expect(others).to.be.at.least(2);
    expect(await runInSlices(slices(true)).catch(({ message }) => message)).to.equal("fails");
    clearInterval(other);
  });

  it("runs one at a time, in order, each in a separate turn of the event loop", async () => {
    const inTurn = createJobQueue();
    const seen: string[] = [];
    const done = [0, 1, 2].map(
      (at) =>
        new Promise<void>((resolve) => {
          inTurn(async () => {
            seen.push(`begins ${at}`);
            await settle();
            seen.push(`ends ${at}`);
            resolve();
          });
        }),
    );
    seen.push("others");
    await Promise.all(done);
    expect(seen).to.deep.equal(["others", ...[0, 1, 2].flatMap((at) => [`begins ${at}`, `ends ${at}`])]);
  });
});

describe("a coalescer", () => {
  it("passes each value on once per flush", () => {
    const flushes: (() => void)[] = [];
    const handed: string[][] = [];
    const add = createCoalescer<string>(
      (flush) => flushes.push(flush),
      (values) => handed.push(values),
    );
    for (const value of ["a", "b", "a"]) add(value);
    flushes.shift()?.();
    add("a");
    flushes.shift()?.();
    expect(handed).to.deep.equal([["a", "b"], ["a"]]);
    expect(flushes).to.deep.equal([]);
  });

  it("with a throttle passes on immediately after a pause, and together afterwards", async () => {
    const handed: number[][] = [];
    const add = createCoalescer<number>(createThrottledSchedule(50), (values) => handed.push(values));
    add(1);
    await settle();
    expect(handed).to.deep.equal([[1]]);
    add(2);
    add(3);
    while (handed.length < 2) await sleep(5);
    expect(handed).to.deep.equal([[1], [2, 3]]);
  });
});

describe("a signal", () => {
  it("set before the wait is seen once", async () => {
    const signal = createAutoResetSignal();
    signal.set();
    signal.set();
    await signal.wait(60_000);
    const second = signal.wait(60_000).then(() => "seen");
    expect(await Promise.race([second, settle().then(() => "waiting")])).to.equal("waiting");
    signal.set();
    expect(await second).to.equal("seen");
  });
});
