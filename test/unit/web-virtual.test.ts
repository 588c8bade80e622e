import { expect } from "chai";
import fc from "fast-check";
import {
  assignRowsToElements,
  computeFirstRenderedRow,
  computeNextFirstRenderedRow,
} from "../../web/parts/lists/virtual-window.ts";

const OVERSCAN = 8;

describe("the window of a long list", () => {
  const scroll = fc.record({
    count: fc.integer({ min: 1, max: 30_000 }),
    seen: fc.integer({ min: 1, max: 60 }),
    places: fc.array(
      fc.record({
        place: fc.double({ min: 0, max: 1, noNaN: true }),
        chosen: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { minLength: 1, maxLength: 20 },
    ),
    ahead: fc.integer({ min: 0, max: 4 }),
    above: fc.integer({ min: 0, max: 2 * OVERSCAN }),
  });

  it("renders the visible rows and the kept row, each in a stable element, at every scroll position", () => {
    const property = fc.property(scroll, ({ count, seen, places, ahead, above }) => {
      const most = Math.min(count, seen + 1 + 2 * OVERSCAN);
      let from = 0;
      let shown = Array.from({ length: most + 1 }, () => -1);
      for (const { place, chosen } of places) {
        const startIndex = Math.floor(place * Math.max(0, count - seen));
        const range = { startIndex, endIndex: Math.min(count - 1, startIndex + seen) };
        const wanted = computeFirstRenderedRow(range, { most, count, above });
        from = computeNextFirstRenderedRow({ from, wanted, ahead }, range, most);
        // Half of the chosen rows are in the window. The chosen row becomes the row to keep in place.
        const keep = Math.floor(chosen < 0.5 ? 2 * chosen * count : from + (2 * chosen - 1) * (most - 1));
        const rows = assignRowsToElements(shown, { first: from, most, keep });
        const made = rows.filter((row) => row >= 0);
        const window = Array.from({ length: most }, (_, n) => from + n);
        expect(made.toSorted((a, b) => a - b)).to.deep.equal([...new Set([...window, keep])].sort((a, b) => a - b));
        for (const [element, row] of shown.entries()) {
          if (made.includes(row)) expect(rows[element], "a row stays in its element").to.equal(row);
        }
        shown = rows;
        expect(from).to.be.within(0, count - most);
        expect(from <= range.startIndex && from + most - 1 >= range.endIndex).to.equal(true);
        let last = from;
        for (let n = 0; n <= most; n += 1)
          last = computeNextFirstRenderedRow({ from: last, wanted, ahead: 1 }, range, most);
        expect(last).to.equal(wanted);
      }
    });
    fc.assert(property);
  });
});
