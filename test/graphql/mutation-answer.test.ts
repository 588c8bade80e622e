import { expect } from "chai";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

describe("a mutation whose answer cannot be given", () => {
  let space: Workspace;
  before(async () => {
    space = await freshWorkspace();
  });

  it("has changed nothing when that is too long, and says so", async () => {
    const description = "x".repeat(255 * 1024);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) ids.push((await space.issue({ title: "before", description })).id);
    const texts = Array.from({ length: 45 }, (_, at) => `a${at}: description`).join(" ");
    const query = `mutation ($ids: [UUID!]!, $input: IssueUpdateInput!) {
      issueBatchUpdate(ids: $ids, input: $input) { success issues { ${texts} } } }`;
    const { data, errors } = await space.graphql(query, { ids, input: { title: "after" } });
    expect([data, errors?.[0]?.extensions.code]).to.deep.equal([null, "PAYLOAD_TOO_LARGE"]);
    expect((await space.read(ids[0] ?? "")).title).to.equal("before");
  });

  it("has changed nothing when a page in it cannot be", async () => {
    const { id } = await space.issue({ title: "before" });
    const query = `mutation ($id: String!) { issueUpdate(id: $id, input: { title: "after" }) {
      success issue { comments(after: "none") { nodes { id } } } } }`;
    const { errors } = await space.graphql(query, { id });
    expect(errors?.[0]?.extensions.code).to.equal("INPUT_ERROR");
    expect((await space.read(id)).title).to.equal("before");
  });

  it("answers what it changed whatever is selected of its pages", async () => {
    for (const labels of [
      "__typename",
      "pageInfo { __typename }",
      "nodes { __typename }",
      "pageInfo { hasNextPage }",
    ]) {
      const answer = await space.does(
        "issueCreate",
        { input: { teamId: space.teamId, title: "new" } },
        `success issue { title labels(last: 2) { ${labels} } }`,
      );
      expect([answer.success, answer.issue.title]).to.deep.equal([true, "new"]);
    }
  });
});
