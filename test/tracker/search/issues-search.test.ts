import { expect } from "chai";
import { isPrepared } from "../../support/graphql/plans.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

const found = async ({ gql }: Workspace, term: string, more = "") => {
  const query = `query ($term: String!) { searchIssues(term: $term${more}) { totalCount nodes { identifier } } }`;
  const { searchIssues } = await gql(query, { term });
  return searchIssues.nodes.map(({ identifier }: { identifier: string }) => identifier);
};

describe("searchIssues", () => {
  it("finds all words in any case in title and description, matches in titles first", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "Safari cannot log in", description: "since the upgrade" });
    await space.issue({ title: "Upgrade breaks Safari" });
    await space.issue({ title: "Upgrade the database" });
    expect(await found(space, "SAFARI upgrade")).to.deep.equal(["ENG-2", "ENG-1"]);
  });

  it("looks up identifiers by a separate statement that connections keep prepared", () => {
    const query = "query ($term: String!) { searchIssues(term: $term) { nodes { identifier } searchedSince } }";
    expect(["an issue", "ENG-1"].map((term) => isPrepared(query, { term }))).to.deep.equal([false, true]);
  });

  it("returns the issue with the searched identifier first", async () => {
    const space = await createWorkspace();
    await space.issue({ title: "Original" });
    await space.issue({ title: "Follow-up of eng-1" });
    expect(await found(space, "eng-1")).to.deep.equal(["ENG-1", "ENG-2"]);
  });

  it("treats %, _ and backslash as plain characters", async () => {
    const space = await createWorkspace();
    for (const title of ["100% sure", "100 times", "snake_case", "snakeXcase", "back\\slash"])
      await space.issue({ title });
    expect(await found(space, "100%")).to.deep.equal(["ENG-1"]);
    expect(await found(space, "snake_case")).to.deep.equal(["ENG-3"]);
    expect(await found(space, "\\")).to.deep.equal(["ENG-5"]);
  });

  it("searches comments or a single team on request", async () => {
    const space = await createWorkspace();
    const other = await createWorkspaceIn(space, "OPS");
    const { id } = await space.issue({ title: "Quiet" });
    await other.issue({ title: "needle" });
    await space.does("commentCreate", { input: { issueId: id, body: "a needle here" } });
    expect(await found(space, "needle")).to.deep.equal(["OPS-1"]);
    expect(await found(space, "needle", ", includeComments: true")).to.have.members(["OPS-1", "ENG-1"]);
    expect(await found(space, "needle", ', teamId: "eng", includeComments: true')).to.deep.equal(["ENG-1"]);
  });

  it("excludes archived issues by default, and accepts a filter", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue({ title: "needle one", priority: 1 });
    await space.issue({ title: "needle two" });
    expect(await found(space, "needle", ", filter: { priority: { eq: 1 } }")).to.deep.equal(["ENG-1"]);
    await space.does("issueArchive", { id });
    expect(await found(space, "needle")).to.deep.equal(["ENG-2"]);
    expect(await found(space, "needle", ", includeArchived: true")).to.deep.equal(["ENG-2", "ENG-1"]);
  });

  it("pages without gaps or repeats, and counts all results", async () => {
    const space = await createWorkspace();
    for (const n of [1, 2, 3, 4, 5]) await space.issue({ title: n % 2 ? "needle" : `a needle${n}` });
    const seen: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const query = `query ($after: String) { searchIssues(term: "needle", first: 2, after: $after) {
        totalCount nodes { identifier } pageInfo { hasNextPage endCursor } } }`;
      const page: any = (await space.gql(query, { after })).searchIssues;
      const { totalCount, nodes, pageInfo } = page;
      seen.push(...nodes.map(({ identifier }: { identifier: string }) => identifier));
      expect(totalCount).to.equal(5);
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect([...seen].sort()).to.deep.equal(["ENG-1", "ENG-2", "ENG-3", "ENG-4", "ENG-5"]);
  });

  it("refuses a term without a word, and a term that is too long", async () => {
    const { graphql } = await createWorkspace();
    for (const term of [" ", "x".repeat(513), "a ".repeat(21)]) {
      const { errors } = await graphql("query ($term: String!) { searchIssues(term: $term) { totalCount } }", { term });
      expect(errors?.[0]?.extensions).to.include({ code: "INPUT_ERROR", field: "term" });
    }
  });
});
