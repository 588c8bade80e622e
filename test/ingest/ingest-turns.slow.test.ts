import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createEvent, createWriter, whileCommitsStall } from "../support/recording/ingest.ts";

describe("ingestion under overload", () => {
  it("serves keys in turn, so that many batches of one key do not delay another key", async () => {
    const [flood, single] = [await createWriter(), await createWriter()];
    await Promise.all([flood.event(createEvent()), single.event(createEvent())]);
    const order: string[] = [];
    const sent: Promise<unknown>[] = [];
    await whileCommitsStall(async () => {
      const batch = () => flood.events(Array.from({ length: 500 }, () => createEvent()));
      for (let n = 0; n < 20; n += 1) sent.push(batch().then(() => order.push("flood")));
      await sleep(800);
      sent.push(single.event(createEvent()).then(() => order.push("single")));
      await sleep(500);
    });
    await Promise.all(sent);
    expect(order.indexOf("single")).to.be.below(14);
  });
});
