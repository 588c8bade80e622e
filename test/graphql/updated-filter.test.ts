import { expect } from "chai";
import fc from "fast-check";
import { scaleRuns } from "../support/run/runs.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const LIST = `query ($filter: IssueFilter) { issues(filter: $filter, first: 250) { nodes { id createdAt updatedAt } } }`;
const DAY = 86_400_000;

/** Times near now: a day, an hour or some seconds ago, or slightly in the future, because clocks differ. */
const ago = fc.constantFrom(30 * DAY, DAY, DAY / 24, 10_000, 0, -20_000);

describe("the last update of issues", () => {
  let space: Workspace;

  before(async () => {
    space = await createWorkspace();
    for (const before of [40 * DAY, 30 * DAY, 2 * DAY, DAY / 2, 5_000, -30_000]) {
      const createdAt = new Date(Date.now() - before).toISOString();
      const issue = await space.issue({ title: "One", createdAt });
      if (before !== 2 * DAY) await space.does("issueUpdate", { id: issue.id, input: { title: "Another" } });
    }
  });

  it("is never before the creation, for any clock of the creator", async () => {
    const all = (await space.gql(LIST)).issues.nodes;
    expect(all).to.have.length(6);
    for (const { createdAt, updatedAt } of all) expect(updatedAt >= createdAt).to.equal(true);
  });

  it("filters to the same issues as a comparison of every issue", async () => {
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
      { numRuns: scaleRuns(40) },
    );
  });
});
