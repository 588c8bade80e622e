import { expect } from "chai";
import { Unavailable } from "../db/errors/unavailable.ts";
import type { QueueClass } from "../db/open.ts";
import { createQueue } from "../db/pool/queue.ts";
import { failure } from "./support/database.ts";

describe("the queue before the connections", () => {
  it("serves short work before reads, and reads before upkeep", async () => {
    const queue = createQueue(1);
    const order: QueueClass[] = [];
    const leave = await queue.enter("short");
    const work = async (name: QueueClass) => {
      const done = await queue.enter(name);
      order.push(name);
      done();
    };
    const all = (["upkeep", "read", "short", "upkeep", "read", "short"] as const).map(work);
    leave();
    await Promise.all(all);
    expect(order).to.deep.equal(["short", "short", "read", "read", "upkeep", "upkeep"]);
  });

  it("lets as many in at once as there are connections", async () => {
    const queue = createQueue(3);
    const leaves = await Promise.all([queue.enter("read"), queue.enter("read"), queue.enter("read")]);
    const fourth = queue.enter("read");
    expect(await Promise.race([fourth, "waiting"])).to.equal("waiting");
    leaves[0]?.();
    (await fourth)();
  });

  it("refuses the 1,001st who waits, and keeps serving the others", async () => {
    const queue = createQueue(1);
    const leave = await queue.enter("short");
    const waiting = Array.from({ length: 1_000 }, () => queue.enter("read").then((done) => done()));
    expect(await failure(queue.enter("short"))).to.be.instanceOf(Unavailable);
    leave();
    await Promise.all(waiting);
  });

  it("refuses who waits longer than 2 s, and forgets them", async () => {
    const queue = createQueue(1);
    const leave = await queue.enter("short");
    expect(await failure(queue.enter("read"))).to.include({ name: "Unavailable", retryAfter: 1 });
    leave();
    (await queue.enter("read"))();
  });

  it("frees a connection once, however often it is released", async () => {
    const queue = createQueue(1);
    const leave = await queue.enter("short");
    leave();
    leave();
    await queue.enter("short");
    expect(await Promise.race([queue.enter("short"), "waiting"])).to.equal("waiting");
  });
});
