import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { ConnectionRequest } from "../../../db/open.ts";
import { createConnectionQueue } from "../../../db/pool/queue.ts";
import { catchFailure } from "../../support/db/database.ts";
import { scaleRuns } from "../../support/run/runs.ts";

const SHORT: ConnectionRequest = { queueClass: "short" };
const READ: ConnectionRequest = { queueClass: "read" };
const as = (tenant: string): ConnectionRequest => ({ queueClass: "read", tenant });

describe("waiting in the queue for a connection", () => {
  it("is refused after 2 s, and the waiter is removed", async () => {
    const queue = createConnectionQueue(1);
    const leave = await queue.enter(SHORT);
    expect(await catchFailure(queue.enter(READ))).to.include({ name: "UnavailableError", retryAfter: 1 });
    leave.leave();
    (await queue.enter(READ)).leave();
  });

  it("ends even if any number of tenants hold connections forever", async () => {
    const shape = fc.record({ size: fc.integer({ min: 1, max: 4 }), noisy: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(shape, async ({ size, noisy }) => {
        const queue = createConnectionQueue(size);
        let over = false;
        let stopped = 0;
        // Returns the connection on request, and takes another connection.
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
      { numRuns: scaleRuns(3) },
    );
  }).timeout(30_000);

  it("ends for another tenant's read while one tenant's short statements fill the only connection", async () => {
    const queue = createConnectionQueue(1);
    const flood: ConnectionRequest = { queueClass: "short", tenant: "noisy" };
    let over = false;
    const work = async (): Promise<void> => {
      while (!over) {
        const permit = await queue.enter(flood);
        await sleep(20);
        permit.leave();
      }
    };
    const all = [work(), work(), work()];
    await sleep(1_000);
    const since = performance.now();
    (await queue.enter(as("quiet"))).leave();
    expect(performance.now() - since).to.be.lessThan(1_000);
    over = true;
    await Promise.all(all);
  });

  it("ends first for the next statement of a tenant that used the connections less", async () => {
    const orderWith = async (next: string): Promise<string[]> => {
      const queue = createConnectionQueue(1);
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

  it("never ends a turn that cannot be stopped, such as a write", async () => {
    const queue = createConnectionQueue(1);
    const held = await queue.enter(as("noisy"));
    expect(await catchFailure(queue.enter(as("quiet")))).to.be.instanceOf(UnavailableError);
    held.leave();
  });
});
