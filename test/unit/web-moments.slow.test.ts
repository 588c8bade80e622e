import { expect } from "chai";
import fc from "fast-check";
import { computeAxisMaximum, USAGE_FIGURE_FORMATTERS } from "../../web/pages/usage/figures.ts";
import { buildTimeTicks } from "../../web/parts/time/moments.ts";

const ZONES = [
  "UTC",
  "America/Los_Angeles",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/Santiago",
];

describe("the times on an axis", () => {
  const zone = process.env["TZ"];
  after(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  it("are midnights for a long range and round minutes for a short range, unique, few and within range, in any zone", () => {
    const property = fc.property(
      fc.constantFrom(...ZONES),
      fc.date({ min: new Date("2024-01-01"), max: new Date("2027-12-31"), noInvalidDate: true }),
      fc.integer({ min: 1_000, max: 90 * 86_400_000 }),
      (TZ, begin, span) => {
        process.env["TZ"] = TZ;
        const [from, to] = [begin.getTime(), begin.getTime() + span];
        const ticks = buildTimeTicks(from, to);
        const moments = ticks.map(({ at }) => at);
        expect(moments).to.deep.equal([...new Set(moments)].sort((a, b) => a - b));
        expect(moments.every((at) => at >= from && at <= to)).to.equal(true);
        expect(ticks.length).to.be.at.most(10);
        for (const at of moments) {
          const local = new Date(at);
          const clock = local.getHours() * 60 + local.getMinutes();
          // The day begins later in places where daylight saving time skips midnight.
          const before = new Date(at - 1);
          if (span > 2 * 86_400_000)
            expect(clock === 0 || before.getDate() !== local.getDate(), `${local}`).to.equal(true);
          else if (span >= 120_000) expect(local.getSeconds() + local.getMilliseconds()).to.equal(0);
        }
        if (span > 2 * 86_400_000) expect(new Set(ticks.map(({ name }) => name)).size).to.equal(ticks.length);
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

describe("the amounts on an axis", () => {
  it("reach the highest bar and have distinct labels, for any usage", () => {
    const property = fc.property(
      fc.constantFrom("cost" as const, "tokens" as const, "sessions" as const),
      fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 1, max: 1e8, noNaN: true })),
      (figure, drawn) => {
        const most = figure === "cost" ? drawn : Math.round(drawn);
        const top = computeAxisMaximum(figure, most);
        expect(top).to.be.within(most, Math.max(most * 2, figure === "cost" ? 0.04 : 4));
        const names = [0.25, 0.5, 0.75, 1].map((part) => USAGE_FIGURE_FORMATTERS[figure](top * part));
        expect(new Set(names).size, names.join()).to.equal(4);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });
});
