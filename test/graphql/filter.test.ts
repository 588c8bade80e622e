import { expect } from "chai";
import fc from "fast-check";
import {
  createSampleIssues,
  matchesFilter,
  randomFilters,
  type SampleFilter,
  type SampleIssue,
} from "../support/graphql/filters.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const QUERY = "query ($filter: IssueFilter) { issues(filter: $filter, first: 250) { nodes { title } } }";

describe("the filter of issues", () => {
  let space: Workspace;
  let all: SampleIssue[];
  const titles = async (filter: unknown): Promise<string[]> => {
    const { data, errors } = await space.graphql(QUERY, { filter });
    if (errors) throw new Error(JSON.stringify(errors));
    return data.issues.nodes.map(({ title }: { title: string }) => title).sort();
  };

  before(async () => {
    space = await createWorkspace();
    all = createSampleIssues();
    const labels: Record<string, string> = {};
    for (const name of ["red", "blue"]) {
      labels[name] = (await space.does("issueLabelCreate", { input: { name } }, "issueLabel { id }")).issueLabel.id;
    }
    const viewer = (await space.gql("{ viewer { id } }")).viewer.id;
    for (const { title, priority, estimate, assigned, labels: names } of all) {
      const labelIds = names.map((name) => labels[name]);
      await space.issue({ title, priority, estimate, assigneeId: assigned ? viewer : null, labelIds });
    }
  });

  it("matches the same issues as an in-memory implementation", async () => {
    await fc.assert(
      fc.asyncProperty(randomFilters, async (filter: SampleFilter) => {
        const expected = all.filter((sample) => matchesFilter(filter, sample)).map(({ title }) => title);
        expect(await titles(filter)).to.deep.equal(expected.sort());
      }),
      { numRuns: scaleRuns(150) },
    );
  });

  it("accepts an identifier or a UUID as an id, and matches nothing for other text", async () => {
    const { id, title } = await space.read("ENG-3");
    expect(await titles({ id: { eq: "eng-3" } })).to.deep.equal([title]);
    expect(await titles({ id: { in: [id, "nonsense", "ENG-3"] } })).to.deep.equal([title]);
    expect(await titles({ id: { nin: [id, "nonsense"] } })).to.have.length(all.length - 1);
    expect(await titles({ team: { id: { neq: "nonsense" } } })).to.have.length(all.length);
  });

  it("follows links of links", async () => {
    const team = { key: { eq: "ENG" } };
    expect(await titles({ team, state: { team, type: { eq: "backlog" } } })).to.have.length(all.length);
    expect(await titles({ project: { lead: { name: { eq: "nobody" } } } })).to.deep.equal([]);
  });

  it("compares times with durations from now", async () => {
    expect(await titles({ createdAt: { gt: "-P1D" } })).to.have.length(all.length);
    expect(await titles({ createdAt: { lt: "-P1D" } })).to.deep.equal([]);
    expect(await titles({ dueDate: { null: true } })).to.have.length(all.length);
  });

  it("matches the wildcards of LIKE and U+0000 literally", async () => {
    for (const text of ["%", "_ssue", "\\", "\u0000"])
      expect(await titles({ title: { contains: text } })).to.deep.equal([]);
  });

  const nested = (depth: number): object => (depth === 0 ? { title: { eq: "x" } } : { and: [nested(depth - 1)] });
  const refusals: [string, object, RegExp][] = [
    ["more than 100 comparisons", { or: Array.from({ length: 101 }, () => ({ title: { eq: "x" } })) }, /at most 100/],
    ["more than 6 levels", nested(6), /6 levels/],
    ["a list of more than 250", { title: { in: Array.from({ length: 251 }, () => "x") } }, /at most 250/],
    ["as much in a comparator of ids", { id: { in: Array.from({ length: 251 }, () => "ENG-1") } }, /at most 250/],
  ];
  for (const [what, filter, message] of refusals) {
    it(`with ${what} is an INPUT_ERROR`, async () => {
      const { errors } = await space.graphql(QUERY, { filter });
      expect(errors?.[0]?.message).to.match(message);
      expect(errors?.[0]?.extensions.code).to.equal("INPUT_ERROR");
    });
  }

  it("within the limits is accepted", async () => {
    expect(await titles(nested(5))).to.deep.equal([]);
    expect(await titles({ or: Array.from({ length: 99 }, (_, at) => ({ title: { eq: `${at}` } })) })).to.deep.equal([]);
  });
});
