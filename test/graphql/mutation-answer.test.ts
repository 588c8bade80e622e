import { expect } from "chai";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

describe("a mutation whose response cannot be produced", () => {
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
  });

  it("changes nothing and returns an error when the response would be too long", async () => {
    const description = "x".repeat(255 * 1024);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) ids.push((await space.issue({ title: "before", description })).id);
    const texts = Array.from({ length: 45 }, (_, at) => `a${at}: description`).join(" ");
    const query = `mutation ($ids: [UUID!]!, $input: IssueUpdateInput!) {
      issueBatchUpdate(ids: $ids, input: $input) { success issues { ${texts} } } }`;
    const update = async () => {
      const { data, errors } = await space.graphql(query, { ids, input: { title: "after" } });
      return [data, errors?.[0]?.extensions.code];
    };
    let answer = await update();
    // The database builds more than 32 MiB of text, for which a busy machine may need more than the time limit.
    while (answer[1] === "TIMEOUT") answer = await update();
    expect(answer).to.deep.equal([null, "PAYLOAD_TOO_LARGE"]);
    expect((await space.read(ids[0] ?? "")).title).to.equal("before");
  });

  it("changes nothing when the cursor of a page in its selection is invalid", async () => {
    const { id } = await space.issue({ title: "before" });
    const query = `mutation ($id: String!) { issueUpdate(id: $id, input: { title: "after" }) {
      success issue { comments(after: "none") { nodes { id } } } } }`;
    const { errors } = await space.graphql(query, { id });
    expect(errors?.[0]?.extensions.code).to.equal("INPUT_ERROR");
    expect((await space.read(id)).title).to.equal("before");
  });

  it("returns the changed entity with every selection of its pages", async () => {
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
