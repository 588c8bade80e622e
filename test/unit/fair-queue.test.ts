import { expect } from "chai";
import fc from "fast-check";
import { draw, type Entry, enqueue, expire, fairQueue, isFull } from "../../concurrency/fair-queue.ts";

const MOST = { rows: 10, bytes: 100 };

interface Numbered extends Entry {
  number: number;
}

const entry = fc.record({
  key: fc.constantFrom("a", "b", "c"),
  rows: fc.nat(12),
  bytes: fc.nat(120),
  until: fc.nat(100),
});

describe("a fair queue", () => {
  it("draws everything once, each key in its order, and never more at once than it may", () => {
    const property = fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
      const queue = fairQueue<Numbered>();
      for (const [number, each] of entries.entries()) enqueue(queue, { ...each, number });
      const drawn: Numbered[] = [];
      while (queue.size > 0) {
        const load = draw(queue, MOST);
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

  it("serves a key that comes late before the flood of another", () => {
    const queue = fairQueue<Entry>();
    const add = (key: string) => enqueue(queue, { key, rows: 5, bytes: 1, until: 0 });
    for (let count = 0; count < 20; count += 1) add("flood");
    add("late");
    expect(isFull(queue, MOST)).to.equal(true);
    expect(draw(queue, MOST).map(({ key }) => key)).to.deep.equal(["flood", "late"]);
  });

  it("leaves entries that name something locked, and takes those behind them", () => {
    const queue = fairQueue<Numbered>();
    const names = [["x"], ["y", "x"], ["y"], undefined];
    for (const [number, each] of names.entries()) {
      enqueue(queue, { key: "a", rows: 1, bytes: 1, until: 0, number, names: each });
    }
    expect(draw(queue, MOST, new Set(["x"])).map(({ number }) => number)).to.deep.equal([2, 3]);
    expect(draw(queue, MOST, new Set(["z"])).map(({ number }) => number)).to.deep.equal([0, 1]);
  });

  it("refuses what has waited too long, and nothing else", () => {
    const queue = fairQueue<Entry>();
    const expired: string[] = [];
    for (const [key, until] of Object.entries({ a: 5, b: 6, c: 7 })) {
      enqueue(queue, { key, rows: 1, bytes: 1, until });
    }
    expire(queue, 6, ({ key }) => expired.push(key));
    expect(expired).to.deep.equal(["a", "b"]);
    expect(draw(queue, MOST).map(({ key }) => key)).to.deep.equal(["c"]);
  });
});
