import { expect } from "chai";
import fc from "fast-check";
import { AGENT_RUNS, type AgentRun, REPORT_INTERFACES, replayRun } from "../support/recording/agent-runs.ts";
import type { ShownEvent } from "../support/recording/observed-sessions.ts";
import { scaleRuns } from "../support/run/runs.ts";

/**
 * Removes openness from the comparison. Hooks report no time. The end of a turn or session may arrive before the
 * start, and no log may contain the time of either. Then nothing decides whether the end belongs to the previous
 * turn. The outcome that a source reported is compared.
 */
const settled = (tree: readonly ShownEvent[]): unknown[] =>
  tree.map(({ open, failed, result, under, ...rest }) => {
    const isLost = open || /reported no end|session ended before/.test(failed ?? "");
    // A closed turn without a reply shows the reply of its last model call. The comparison covers the reply at that
    // call.
    const isShown = rest.kind === "turn" && under?.some((each) => each.kind === "llm" && each.result === result);
    return {
      ...rest,
      ...(!isLost && failed !== undefined && { failed }),
      ...(!isLost && !isShown && result !== undefined && { result }),
      ...(under && { under: settled(under) }),
    };
  });

const count = (tree: readonly ShownEvent[], kind: string): number =>
  tree.reduce((sum, each) => sum + Number(each.kind === kind) + count(each.under ?? [], kind), 0);

const ordersOf = (paths: readonly string[], times: number) => {
  const all = Array.from({ length: times }, () => paths).flat();
  return fc.shuffledSubarray(all, { minLength: all.length });
};

/** Returns the bodies of a run that reports through some interfaces. */
const heardBy = ({ bodies }: AgentRun, ways: readonly (typeof REPORT_INTERFACES)[number][]) =>
  ways.flatMap((way) => bodies[way]);
const COMBINATIONS = [
  ...REPORT_INTERFACES.map((way) => [way]),
  ["hooks", "logs"],
  ["hooks", "spans"],
  ["logs", "spans"],
  [...REPORT_INTERFACES],
] as (typeof REPORT_INTERFACES)[number][][];

/** Checks that no event is duplicated and that the totals count the stored events. */
function expectOnce({ tree, totals }: Awaited<ReturnType<typeof replayRun>>, run: AgentRun): void {
  const { turns = 0, toolCalls = 0, events = 0, ...tokens } = totals;
  const told = JSON.stringify(tree);
  expect([turns, toolCalls], told).to.deep.equal([count(tree, "turn"), count(tree, "tool")]);
  expect(turns, `turns of ${told}`).to.be.at.most(1);
  expect(toolCalls, `calls of ${told}`).to.be.at.most(2);
  expect(events, `events of ${told}`).to.be.at.most(Number(run.totals["events"]));
  for (const field of ["inputTokens", "outputTokens", "cost"])
    expect(tokens[field] ?? 0, field).to.be.at.most(Number(run.totals[field]));
}

for (const run of AGENT_RUNS) {
  describe(`reports of one run of ${run.agent}`, () => {
    it("through hooks, logs and spans give one event each, repeated three times in any order", async () => {
      const all = heardBy(run, REPORT_INTERFACES);
      const first = await replayRun(run, all);
      expect(first.totals).to.deep.include(run.totals);
      expect(first.tree).to.have.length(1);
      await fc.assert(
        fc.asyncProperty(ordersOf(all, 3), async (order) => {
          const { tree, totals } = await replayRun(run, order);
          expect(tree).to.deep.equal(first.tree);
          expect(totals).to.deep.equal(first.totals);
        }),
        { numRuns: scaleRuns(4) },
      );
    }).timeout(120_000);

    for (const ways of COMBINATIONS) {
      it(`give the same events without duplicates in any order and with gaps, through ${ways.join(" and ")}`, async () => {
        const some = fc
          .subarray(heardBy(run, ways), { minLength: 1 })
          .chain((part) => fc.tuple(fc.constant(part), ordersOf(part, 3)));
        await fc.assert(
          fc.asyncProperty(some, async ([part, order]) => {
            const [one, other] = [await replayRun(run, part), await replayRun(run, order)];
            expectOnce(one, run);
            expectOnce(other, run);
            expect(settled(other.tree)).to.deep.equal(settled(one.tree));
            expect(other.totals["inputTokens"]).to.equal(one.totals["inputTokens"]);
          }),
          // A few bodies have few splits and orders, which need not be repeated.
          { numRuns: scaleRuns(6), ignoreEqualValues: true },
        );
      }).timeout(240_000);
    }
  });
}
