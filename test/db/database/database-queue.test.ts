import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { ConnectionRequest, QueueClass } from "../../../db/open.ts";
import { type ConnectionPermit, createConnectionQueue } from "../../../db/pool/queue.ts";
import { catchFailure } from "../../support/db/database.ts";

const SHORT: ConnectionRequest = { queueClass: "short" };
const READ: ConnectionRequest = { queueClass: "read" };
const as = (tenant: string): ConnectionRequest => ({ queueClass: "read", tenant });

describe("the queue for connections", () => {
  it("serves short work before reads, and reads before maintenance", async () => {
    const queue = createConnectionQueue(1);
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

  it("admits as many callers at once as there are connections", async () => {
    const queue = createConnectionQueue(3);
    const leaves = await Promise.all([queue.enter(READ), queue.enter(READ), queue.enter(READ)]);
    const fourth = queue.enter(READ);
    expect(await Promise.race([fourth, "waiting"])).to.equal("waiting");
    leaves[0]?.leave();
    (await fourth).leave();
  });

  it("refuses caller 1,001, and keeps serving the others", async () => {
    const queue = createConnectionQueue(1);
    const leave = await queue.enter(SHORT);
    const waiting = Array.from({ length: 1_000 }, () => queue.enter(READ).then((done) => done.leave()));
    expect(await catchFailure(queue.enter(SHORT))).to.be.instanceOf(UnavailableError);
    leave.leave();
    await Promise.all(waiting);
  });

  it("frees a connection once, also when released repeatedly", async () => {
    const queue = createConnectionQueue(1);
    const leave = await queue.enter(SHORT);
    leave.leave();
    leave.leave();
    await queue.enter(SHORT);
    expect(await Promise.race([queue.enter(SHORT), "waiting"])).to.equal("waiting");
  });

  it("gives work on one node half of the connections while others use connections, and all otherwise", async () => {
    const queue = createConnectionQueue(4);
    const alone = await Promise.all([1, 2, 3, 4].map((tenant) => queue.enter(as(String(tenant)), 1)));
    for (const permit of alone) permit.leave();
    const other = await queue.enter(as("other"), 2);
    await sleep(15);
    other.leave();
    const silent = [await queue.enter(as("a"), 1), await queue.enter(as("b"), 1)];
    const third = queue.enter(as("c"), 1);
    expect(await Promise.race([third, "waiting"])).to.equal("waiting");
    (await queue.enter(as("other"), 2)).leave();
    (await queue.enter(SHORT)).leave();
    silent[0]?.leave();
    (await third).leave();
  });

  it("serves first the tenant that recently used the connections least", async () => {
    const queue = createConnectionQueue(1);
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

  it("when full, refuses the last entry of the tenant with the most entries, not the newcomer", async () => {
    const queue = createConnectionQueue(1);
    const held = await queue.enter(SHORT);
    const outcomes = Array.from({ length: 1_000 }, () => failureOf(queue.enter(as("noisy"))));
    const quiet = queue.enter(as("quiet")).then((permit) => permit.leave());
    expect(await outcomes.at(-1)).to.be.instanceOf(UnavailableError);
    expect(await catchFailure(queue.enter(as("noisy")))).to.be.instanceOf(UnavailableError);
    held.leave();
    await quiet;
    expect((await Promise.all(outcomes)).filter(Boolean)).to.have.length(1);
  });

  it("gives a tenant's reads half of the connections while another tenant uses some, and all otherwise", async () => {
    const size = fc.integer({ min: 2, max: 9 });
    await fc.assert(
      fc.asyncProperty(size, fc.boolean(), async (connections, isAlone) => {
        const queue = createConnectionQueue(connections);
        const other = await queue.enter(as(isAlone ? "noisy" : "quiet"));
        await sleep(15);
        other.leave();
        let held = 0;
        const reads = Array.from({ length: connections }, async () => {
          const permit = await queue.enter(as("noisy"));
          held += 1;
          return permit;
        });
        await sleep(5);
        expect(held).to.equal(isAlone ? connections : Math.floor(connections / 2));
        // Writes of the tenant and reads of other tenants can use the remaining connections.
        if (!isAlone)
          for (const turn of [{ ...SHORT, tenant: "noisy" }, as("quiet")]) (await queue.enter(turn)).leave();
        for (const read of reads) (await read).leave();
      }),
      { numRuns: 12 },
    );
  });
});

const failureOf = (entering: Promise<ConnectionPermit>): Promise<Error | undefined> =>
  entering.then(
    (permit) => void permit.leave(),
    (error) => error as Error,
  );
