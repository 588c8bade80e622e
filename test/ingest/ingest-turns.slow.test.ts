import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { anEvent, freshWriter, withStalledStore } from "../support/recording/ingest.ts";

describe("ingestion under a flood", () => {
  it("serves keys in turn: a flood of batches does not starve another key", async () => {
    const [flood, single] = [await freshWriter(), await freshWriter()];
    await Promise.all([flood.event(anEvent()), single.event(anEvent())]);
    const order: string[] = [];
    const sent: Promise<unknown>[] = [];
    await withStalledStore(async () => {
      const batch = () => flood.events(Array.from({ length: 500 }, () => anEvent()));
      for (let n = 0; n < 20; n += 1) sent.push(batch().then(() => order.push("flood")));
      await sleep(800);
      sent.push(single.event(anEvent()).then(() => order.push("single")));
      await sleep(500);
    });
    await Promise.all(sent);
    expect(order.indexOf("single")).to.be.below(14);
  });
});
