import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { createGroupCommit } from "../../concurrency/group-commit.ts";
import { scaleRuns } from "../support/run/runs.ts";

const BOUNDS = { maxWaiting: 1_000, maxWaitMs: 5_000, refusal: (reason: string) => new Error(reason) };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("group commits", () => {
  it("settle each item once, also after failures, within the size limits and never with overlapping locks", async () => {
    const item = fc.record({
      group: fc.constantFrom("a", "b"),
      rows: fc.integer({ min: 1, max: 5 }),
      lock: fc.constantFrom("x", "y", "z"),
      fails: fc.boolean(),
      pause: fc.nat(2),
    });
    const check = fc.asyncProperty(fc.array(item, { maxLength: 40 }), async (items) => {
      const locked = new Set<string>();
      const taken: object[] = [];
      const submit = createGroupCommit<(typeof items)[number], string>({
        ...BOUNDS,
        most: { rows: 8, bytes: 1 },
        parallel: 2,
        async commit(load) {
          const locks = new Set(load.map((one) => one.item.group + one.item.lock));
          expect([...locks].filter((lock) => locked.has(lock))).to.deep.equal([]);
          expect(new Set(load.map((one) => one.item.group)).size).to.equal(1);
          expect(load.reduce((sum, { rows }) => sum + rows, 0)).to.be.at.most(8);
          taken.push(...load.map((one) => one.item));
          for (const lock of locks) locked.add(lock);
          for (let turns = load[0]?.item.pause ?? 0; turns > 0; turns -= 1) await turn();
          for (const lock of locks) locked.delete(lock);
          if (load.some((one) => one.item.fails)) throw new Error("failed");
          for (const one of load) one.resolve(one.item.lock);
        },
      });
      const ends = await Promise.allSettled(
        items.map((each) => submit(each.group, each, { key: "k", rows: each.rows, bytes: 0, names: [each.lock] })),
      );
      expect(taken).to.have.lengthOf(items.length);
      expect(new Set(taken).size).to.equal(items.length);
      for (const [at, end] of ends.entries()) {
        if (end.status === "fulfilled") expect(end.value).to.equal(items[at]?.lock);
        else expect(end.reason.message).to.equal("failed");
      }
    });
    await fc.assert(check, { numRuns: scaleRuns(50) });
  });

  it("commit items with other locks beside a slow commit, and refuse items when the queue is full or the wait too long", async () => {
    const release: (() => void)[] = [];
    const loads: string[][] = [];
    const submit = createGroupCommit<string, string>({
      ...BOUNDS,
      maxWaiting: 2,
      maxWaitMs: 100,
      most: { rows: 10, bytes: 10 },
      parallel: 2,
      async commit(load) {
        loads.push(load.map(({ item }) => item));
        if (load[0]?.item === "slow") await new Promise<void>((resolve) => release.push(resolve));
        for (const { item, resolve } of load) resolve(item);
      },
    });
    const send = (item: string, names: string[]) =>
      submit("g", item, { key: "k", rows: 1, bytes: 0, names }).catch(({ message }: Error) => message);
    const slow = send("slow", ["row"]);
    await turn();
    const [blocked, free, surplus] = [send("blocked", ["row"]), send("free", ["other"]), send("surplus", [])];
    expect(await surplus).to.equal("full");
    expect(await free).to.equal("free");
    expect(await blocked).to.equal("late");
    release[0]?.();
    expect([await slow, loads]).to.deep.equal(["slow", [["slow"], ["free"]]]);
    await sleep(1);
    expect(await send("after", ["row"])).to.equal("after");
  });
});
