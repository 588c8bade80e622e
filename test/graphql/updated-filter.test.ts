import { expect } from "chai";
import fc from "fast-check";
import { runs } from "../support/run/runs.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

const LIST = `query ($filter: IssueFilter) { issues(filter: $filter, first: 250) { nodes { id createdAt updatedAt } } }`;
const DAY = 86_400_000;

/** A moment near now: a day, an hour or some seconds before, or, as clocks differ, a little after. */
const ago = fc.constantFrom(30 * DAY, DAY, DAY / 24, 10_000, 0, -20_000);

describe("the filter by the last update", () => {
  let space: Workspace;

  before(async () => {
    space = await freshWorkspace();
    for (const before of [40 * DAY, 30 * DAY, 2 * DAY, DAY / 2, 5_000, -30_000]) {
      const createdAt = new Date(Date.now() - before).toISOString();
      const issue = await space.issue({ title: "One", createdAt });
      if (before !== 2 * DAY) await space.does("issueUpdate", { id: issue.id, input: { title: "Another" } });
    }
  });

  it("sees no issue that was updated before it was created, whatever the clock of who created it said", async () => {
    const all = (await space.gql(LIST)).issues.nodes;
    expect(all).to.have.length(6);
    for (const { createdAt, updatedAt } of all) expect(updatedAt >= createdAt).to.equal(true);
  });

  it("finds what a look at every issue finds", async () => {
    const all = (await space.gql(LIST)).issues.nodes;
    const compare: Record<string, (one: string, other: string) => boolean> = {
      lt: (one, other) => one < other,
      lte: (one, other) => one <= other,
      gt: (one, other) => one > other,
      gte: (one, other) => one >= other,
    };
    const moment = fc.oneof(
      ago.map((ms) => new Date(Date.now() - ms).toISOString()),
      fc.constantFrom<string>(...all.map(({ updatedAt }: any) => updatedAt)),
    );
    const condition = fc.dictionary(fc.constantFrom(...Object.keys(compare)), moment, { minKeys: 1, maxKeys: 2 });
    await fc.assert(
      fc.asyncProperty(condition, async (updatedAt) => {
        const found = (await space.gql(LIST, { filter: { updatedAt } })).issues.nodes;
        const wanted = all.filter((issue: any) =>
          Object.entries(updatedAt).every(([name, at]) => compare[name]?.(issue.updatedAt, at)),
        );
        expect(found.map(({ id }: any) => id)).to.have.members(wanted.map(({ id }: any) => id));
        expect(found).to.have.length(wanted.length);
      }),
      { numRuns: runs(40) },
    );
  });
});
