import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { Unavailable } from "../../db/errors/unavailable.ts";
import type { QueueClass, Turn } from "../../db/open.ts";
import { createQueue, type Permit } from "../../db/pool/queue.ts";
import { failure } from "../support/database.ts";

const SHORT: Turn = { queueClass: "short" };
const READ: Turn = { queueClass: "read" };
const as = (tenant: string): Turn => ({ queueClass: "read", tenant });

describe("the queue before the connections", () => {
  it("serves short work before reads, and reads before upkeep", async () => {
    const queue = createQueue(1);
    const order: QueueClass[] = [];
    const leave = await queue.enter(SHORT);
    const work = async (name: QueueClass) => {
      const done = await queue.enter({ queueClass: name });
      order.push(name);
      done.leave();
    };
    const all = (["upkeep", "read", "short", "upkeep", "read", "short"] as const).map(work);
    leave.leave();
    await Promise.all(all);
    expect(order).to.deep.equal(["short", "short", "read", "read", "upkeep", "upkeep"]);
  });

  it("lets as many in at once as there are connections", async () => {
    const queue = createQueue(3);
    const leaves = await Promise.all([queue.enter(READ), queue.enter(READ), queue.enter(READ)]);
    const fourth = queue.enter(READ);
    expect(await Promise.race([fourth, "waiting"])).to.equal("waiting");
    leaves[0]?.leave();
    (await fourth).leave();
  });

  it("refuses the 1,001st who waits, and keeps serving the others", async () => {
    const queue = createQueue(1);
    const leave = await queue.enter(SHORT);
    const waiting = Array.from({ length: 1_000 }, () => queue.enter(READ).then((done) => done.leave()));
    expect(await failure(queue.enter(SHORT))).to.be.instanceOf(Unavailable);
    leave.leave();
    await Promise.all(waiting);
  });

  it("refuses who waits longer than 2 s, and forgets them", async () => {
    const queue = createQueue(1);
    const leave = await queue.enter(SHORT);
    expect(await failure(queue.enter(READ))).to.include({ name: "Unavailable", retryAfter: 1 });
    leave.leave();
    (await queue.enter(READ)).leave();
  });

  it("frees a connection once, however often it is released", async () => {
    const queue = createQueue(1);
    const leave = await queue.enter(SHORT);
    leave.leave();
    leave.leave();
    await queue.enter(SHORT);
    expect(await Promise.race([queue.enter(SHORT), "waiting"])).to.equal("waiting");
  });

  it("serves the tenant first that had least of the connections lately", async () => {
    const queue = createQueue(1);
    const first = await queue.enter(as("noisy"));
    const order: string[] = [];
    const work = async (tenant: string) => {
      const permit = await queue.enter(as(tenant));
      order.push(tenant);
      permit.leave();
    };
    const all = ["noisy", "noisy", "noisy", "quiet", "other", "quiet"].map(work);
    await sleep(5);
    first.leave();
    await Promise.all(all);
    expect(order.slice(-3)).to.deep.equal(["noisy", "noisy", "noisy"]);
  });

  it("refuses the last of the tenant with the longest line, once it is full, and not who comes", async () => {
    const queue = createQueue(1);
    const held = await queue.enter(SHORT);
    const outcomes = Array.from({ length: 1_000 }, () => failureOf(queue.enter(as("noisy"))));
    const quiet = queue.enter(as("quiet")).then((permit) => permit.leave());
    expect(await outcomes.at(-1)).to.be.instanceOf(Unavailable);
    expect(await failure(queue.enter(as("noisy")))).to.be.instanceOf(Unavailable);
    held.leave();
    await quiet;
    expect((await Promise.all(outcomes)).filter(Boolean)).to.have.length(1);
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
      { numRuns: 3 },
    );
  }).timeout(30_000);

  it("ends no turn that said nothing of how, such as a write's", async () => {
    const queue = createQueue(1);
    const held = await queue.enter(as("noisy"));
    expect(await failure(queue.enter(as("quiet")))).to.be.instanceOf(Unavailable);
    held.leave();
  });
});

const failureOf = (entering: Promise<Permit>): Promise<Error | undefined> =>
  entering.then(
    (permit) => void permit.leave(),
    (error) => error as Error,
  );
