import { expect } from "chai";
import fc from "fast-check";
import {
  createFairQueue,
  dequeueBatch,
  enqueue,
  expireEntries,
  hasFullBatch,
  type QueueEntry,
} from "../../concurrency/fair-queue.ts";

const MOST = { rows: 10, bytes: 100 };

interface Numbered extends QueueEntry {
  number: number;
}

const entry = fc.record({
  key: fc.constantFrom("a", "b", "c"),
  rows: fc.nat(12),
  bytes: fc.nat(120),
  until: fc.nat(100),
});

describe("a fair queue", () => {
  it("runs every entry once, each key in order, within the concurrency limit", () => {
    const property = fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const queue = createFairQueue<Numbered>();
      for (const [number, each] of entries.entries()) enqueue(queue, { ...each, number });
      const drawn: Numbered[] = [];
      while (queue.size > 0) {
        const load = dequeueBatch(queue, MOST);
        expect(load).not.to.have.lengthOf(0);
        if (load.length > 1) {
          expect(load.reduce((sum, { rows }) => sum + rows, 0)).to.be.at.most(MOST.rows);
          expect(load.reduce((sum, { bytes }) => sum + bytes, 0)).to.be.at.most(MOST.bytes);
        }
        drawn.push(...load);
      }
      for (const key of ["a", "b", "c"]) {
        const numbers = entries.flatMap((each, number) => (each.key === key ? [number] : []));
        expect(drawn.filter((each) => each.key === key).map(({ number }) => number)).to.deep.equal(numbers);
      }
      expect([queue.size, queue.rows, queue.bytes, queue.lines.size]).to.deep.equal([0, 0, 0, 0]);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("serves a late key before the flood of another key", () => {
    const queue = createFairQueue<QueueEntry>();
    const add = (key: string) => enqueue(queue, { key, rows: 5, bytes: 1, until: 0 });
    for (let count = 0; count < 20; count += 1) add("flood");
    add("late");
    expect(hasFullBatch(queue, MOST)).to.equal(true);
    expect(dequeueBatch(queue, MOST).map(({ key }) => key)).to.deep.equal(["flood", "late"]);
  });

  it("skips entries that need a lock in use, and runs entries behind them", () => {
    const queue = createFairQueue<Numbered>();
    const names = [["x"], ["y", "x"], ["y"], undefined];
    for (const [number, each] of names.entries()) {
      enqueue(queue, { key: "a", rows: 1, bytes: 1, until: 0, number, names: each });
    }
    expect(dequeueBatch(queue, MOST, new Set(["x"])).map(({ number }) => number)).to.deep.equal([2, 3]);
    expect(dequeueBatch(queue, MOST, new Set(["z"])).map(({ number }) => number)).to.deep.equal([0, 1]);
  });

  it("refuses only entries that have waited too long", () => {
    const queue = createFairQueue<QueueEntry>();
    const expired: string[] = [];
    for (const [key, until] of Object.entries({ a: 5, b: 6, c: 7 })) {
      enqueue(queue, { key, rows: 1, bytes: 1, until });
    }
    expireEntries(queue, 6, ({ key }) => expired.push(key));
    expect(expired).to.deep.equal(["a", "b"]);
    expect(dequeueBatch(queue, MOST).map(({ key }) => key)).to.deep.equal(["c"]);
  });
});
