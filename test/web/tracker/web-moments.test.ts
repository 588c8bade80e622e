import { expect } from "chai";
import fc from "fast-check";
import { ticksOf } from "../../../web/parts/time/moments.ts";

const ZONES = [
  "UTC",
  "America/Los_Angeles",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/Santiago",
];

describe("the moments that an axis names", () => {
  const zone = process.env["TZ"];
  after(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  it("are midnights of a long time and round minutes of a short one, each once, few, and within it, in any zone", () => {
    const property = fc.property(
      fc.constantFrom(...ZONES),
      fc.date({ min: new Date("2024-01-01"), max: new Date("2027-12-31"), noInvalidDate: true }),
      fc.integer({ min: 1_000, max: 90 * 86_400_000 }),
      (TZ, begin, span) => {
        process.env["TZ"] = TZ;
        const [from, to] = [begin.getTime(), begin.getTime() + span];
        const ticks = ticksOf(from, to);
        const moments = ticks.map(({ at }) => at);
        expect(moments).to.deep.equal([...new Set(moments)].sort((a, b) => a - b));
        expect(moments.every((at) => at >= from && at <= to)).to.equal(true);
        expect(ticks.length).to.be.at.most(10);
        for (const at of moments) {
          const local = new Date(at);
          const clock = local.getHours() * 60 + local.getMinutes();
          // The day begins later in places whose clocks skip midnight.
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
