import { expect } from "chai";
import fc from "fast-check";
import { createDueOrganizationQueue } from "../../server/stream/webhooks/due.ts";

const POLL_MS = 1_000;

type Step = { tell: string } | { passes: number } | "full" | "look";
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ tell: fc.constantFrom("a", "b", "c") }),
  fc.record({ passes: fc.integer({ min: 0, max: 700 }) }),
  fc.constant("full" as const),
  fc.constant("look" as const),
);

describe("the list of organizations with due deliveries", () => {
  it("contains reported organizations, all organizations once a second, and all after an overflow", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let clock = 0;
        const due = createDueOrganizationQueue(() => clock);
        const told = new Set<string>();
        let [everywhere, last] = [true, 0];
        for (const each of [...steps, "look" as const]) {
          if (each === "full") {
            due.addAll();
            everywhere = true;
          } else if (each === "look") {
            const all = everywhere || clock - last >= POLL_MS;
            expect(due.take()).to.deep.equal(all ? undefined : [...told]);
            told.clear();
            everywhere = false;
            if (all) last = clock;
          } else if ("tell" in each) {
            due.add(each.tell);
            told.add(each.tell);
          } else clock += each.passes;
        }
      }),
    );
  });

  it("contains all organizations when too many were reported", () => {
    const due = createDueOrganizationQueue(() => 0);
    due.take();
    for (let at = 0; at < 9; at += 1) due.add(String(at));
    expect(due.take()).to.equal(undefined);
    expect(due.take()).to.deep.equal([]);
  });

  it("waits until an organization is reported or all are due again", async () => {
    const due = createDueOrganizationQueue(() => 0);
    due.take();
    const told = due.wait();
    due.add("a");
    await told;
    let clock = 0;
    const late = createDueOrganizationQueue(() => clock);
    late.take();
    clock = POLL_MS - 1;
    await late.wait();
    clock += 1;
    expect(late.take()).to.equal(undefined);
  });
});
