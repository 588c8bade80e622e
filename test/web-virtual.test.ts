import { expect } from "chai";
import fc from "fast-check";
import { inSlot, stepTo, windowOf } from "../web/parts/virtual-window.ts";

const OVERSCAN = 8;

describe("the window of a long list", () => {
  const scroll = fc.record({
    count: fc.integer({ min: 1, max: 30_000 }),
    seen: fc.integer({ min: 1, max: 60 }),
    places: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 20 }),
    ahead: fc.integer({ min: 0, max: 4 }),
  });

  it("holds what is in view, each row in one element, wherever somebody scrolls; and ends around it", () => {
    const property = fc.property(scroll, ({ count, seen, places, ahead }) => {
      const most = Math.min(count, seen + 1 + 2 * OVERSCAN);
      let from = 0;
      for (const place of places) {
        const startIndex = Math.floor(place * Math.max(0, count - seen));
        const range = { startIndex, endIndex: Math.min(count - 1, startIndex + seen) };
        const wanted = windowOf(range, { most, count, overscan: OVERSCAN });
        from = stepTo({ from, wanted, ahead }, range, most);
        const rows = Array.from({ length: most }, (_, slot) => inSlot(slot, from, most));
        expect(new Set(rows).size).to.equal(most);
        expect([Math.min(...rows), Math.max(...rows)]).to.deep.equal([from, from + most - 1]);
        expect(from).to.be.within(0, count - most);
        expect(from <= range.startIndex && from + most - 1 >= range.endIndex).to.equal(true);
        for (const [slot, row] of rows.entries()) expect(row % most).to.equal(slot);
        let last = from;
        for (let n = 0; n <= most; n += 1) last = stepTo({ from: last, wanted, ahead: 1 }, range, most);
        expect(last).to.equal(wanted);
      }
    });
    fc.assert(property);
  });
});
