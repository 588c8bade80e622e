import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Turn } from "../../../db/open.ts";
import { createQueue } from "../../../db/pool/queue.ts";
import { failure } from "../../support/db/database.ts";
import { runs } from "../../support/run/runs.ts";

const SHORT: Turn = { queueClass: "short" };
const READ: Turn = { queueClass: "read" };
const as = (tenant: string): Turn => ({ queueClass: "read", tenant });

describe("the waits in the queue before the connections", () => {
  it("refuses who waits longer than 2 s, and forgets them", async () => {
    const queue = createQueue(1);
    const leave = await queue.enter(SHORT);
    expect(await failure(queue.enter(READ))).to.include({ name: "Unavailable", retryAfter: 1 });
    leave.leave();
    (await queue.enter(READ)).leave();
  });

  it("never lets tenants that hold connections for ever keep another from one, however many they are", async () => {
    const shape = fc.record({ size: fc.integer({ min: 1, max: 4 }), noisy: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(shape, async ({ size, noisy }) => {
        const queue = createQueue(size);
        let over = false;
        let stopped = 0;
        // It gives a connection back when it is asked to, and takes another.
        const hold = async (tenant: string): Promise<void> => {
          const permit = await queue.enter(as(tenant)).catch(() => undefined);
          if (!over && permit) {
            await new Promise<void>((resolve) => {
              permit.stopBy(() => {
                stopped += 1;
                resolve();
              });
              ends.push(resolve);
            });
          }
          permit?.leave();
          if (!over) await hold(tenant);
        };
        const ends: (() => void)[] = [];
        const attack = Array.from({ length: size * noisy * 2 }, (_, n) => hold(`noisy ${n % noisy}`));
        await sleep(500);
        const before = stopped;
        for (let times = 0; times < 2; times += 1) (await queue.enter(as("quiet"))).leave();
        expect(stopped).to.be.greaterThan(before);
        over = true;
        for (const end of ends) end();
        await Promise.all(attack);
      }),
      { numRuns: runs(3) },
    );
  }).timeout(30_000);

  it("keeps the only connection for the next statement of a request, from who had much more", async () => {
    const orderWith = async (next: string): Promise<string[]> => {
      const queue = createQueue(1);
      const noisy = await queue.enter(as("noisy"));
      await sleep(600);
      const order: string[] = [];
      const work = async (tenant: string) => {
        const permit = await queue.enter(as(tenant));
        order.push(tenant);
        return permit;
      };
      const [first, more] = [work("quiet"), work("noisy")];
      noisy.leave();
      (await first).leave();
      await new Promise(setImmediate);
      (await work(next)).leave();
      (await more).leave();
      return order;
    };
    const orders = await Promise.all(["quiet", "another"].map(orderWith));
    expect(orders).to.deep.equal([
      ["quiet", "quiet", "noisy"],
      ["quiet", "another", "noisy"],
    ]);
  }).timeout(20_000);

  it("ends no turn that said nothing of how, such as a write's", async () => {
    const queue = createQueue(1);
    const held = await queue.enter(as("noisy"));
    expect(await failure(queue.enter(as("quiet")))).to.be.instanceOf(Unavailable);
    held.leave();
  });
});
