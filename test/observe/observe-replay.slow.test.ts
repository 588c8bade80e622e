import { expect } from "chai";
import fc from "fast-check";
import { played, RUNS, type Run, WAYS } from "../support/recording/agent-runs.ts";
import type { Shown } from "../support/recording/observed-sessions.ts";
import { runs } from "../support/run/runs.ts";

/**
 * Leaves openness out of the comparison. Hooks report no time of their own. The end of a turn or session may arrive before
 * its beginning, and no log may say when either was: then nothing decides whether the end is that of the turn before. The
 * outcome that a source reported is compared.
 */
const settled = (tree: readonly Shown[]): unknown[] =>
  tree.map(({ open, failed, result, under, ...rest }) => {
    const isLost = open || /reported no end|session ended before/.test(failed ?? "");
    // A closed turn without a reply shows its last model call's, which is compared there.
    const isShown = rest.kind === "turn" && under?.some((each) => each.kind === "llm" && each.result === result);
    return {
      ...rest,
      ...(!isLost && failed !== undefined && { failed }),
      ...(!isLost && !isShown && result !== undefined && { result }),
      ...(under && { under: settled(under) }),
    };
  });

const count = (tree: readonly Shown[], kind: string): number =>
  tree.reduce((sum, each) => sum + Number(each.kind === kind) + count(each.under ?? [], kind), 0);

const ordersOf = (paths: readonly string[], times: number) => {
  const all = Array.from({ length: times }, () => paths).flat();
  return fc.shuffledSubarray(all, { minLength: all.length });
};

/** Bodies of a run that reports in one way, or in several. */
const heardBy = ({ bodies }: Run, ways: readonly (typeof WAYS)[number][]) => ways.flatMap((way) => bodies[way]);
const COMBINATIONS = [
  ...WAYS.map((way) => [way]),
  ["hooks", "logs"],
  ["hooks", "spans"],
  ["logs", "spans"],
  [...WAYS],
] as (typeof WAYS)[number][][];

/** Nothing is there twice, and what is counted is what is there. */
function expectOnce({ tree, totals }: Awaited<ReturnType<typeof played>>, run: Run): void {
  const { turns = 0, toolCalls = 0, events = 0, ...tokens } = totals;
  const told = JSON.stringify(tree);
  expect([turns, toolCalls], told).to.deep.equal([count(tree, "turn"), count(tree, "tool")]);
  expect(turns, `turns of ${told}`).to.be.at.most(1);
  expect(toolCalls, `calls of ${told}`).to.be.at.most(2);
  expect(events, `events of ${told}`).to.be.at.most(Number(run.totals["events"]));
  for (const field of ["inputTokens", "outputTokens", "cost"])
    expect(tokens[field] ?? 0, field).to.be.at.most(Number(run.totals[field]));
}

for (const run of RUNS) {
  describe(`what ${run.agent} tells of one run`, () => {
    it("meets in one event each, three times over, in any order", async () => {
      const all = heardBy(run, WAYS);
      const first = await played(run, all);
      expect(first.totals).to.deep.include(run.totals);
      expect(first.tree).to.have.length(1);
      await fc.assert(
        fc.asyncProperty(ordersOf(all, 3), async (order) => {
          const { tree, totals } = await played(run, order);
          expect(tree).to.deep.equal(first.tree);
          expect(totals).to.deep.equal(first.totals);
        }),
        { numRuns: runs(4) },
      );
    }).timeout(120_000);

    for (const ways of COMBINATIONS) {
      it(`comes to the same in any order, and to nothing double, from its ${ways.join(" and ")} with parts missing`, async () => {
        const some = fc
          .subarray(heardBy(run, ways), { minLength: 1 })
          .chain((part) => fc.tuple(fc.constant(part), ordersOf(part, 3)));
        await fc.assert(
          fc.asyncProperty(some, async ([part, order]) => {
            const [one, other] = [await played(run, part), await played(run, order)];
            expectOnce(one, run);
            expectOnce(other, run);
            expect(settled(other.tree)).to.deep.equal(settled(one.tree));
            expect(other.totals["inputTokens"]).to.equal(one.totals["inputTokens"]);
          }),
          // One body or two have few parts and orders, which need not be played twice.
          { numRuns: runs(6), ignoreEqualValues: true },
        );
      }).timeout(240_000);
    }
  });
}
