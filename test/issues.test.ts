import { expect } from "chai";
import { freshOrganization } from "./support/server.ts";

describe("issues", () => {
  it("numbers issues by team: the first of ENG is ENG-1", async () => {
    const { gql } = await freshOrganization();
    const { teamCreate } = await gql(`mutation { teamCreate(input: { key: "eng", name: "Engineering" }) {
      team { id key states { nodes { name } } } } }`);
    const { issueCreate } = await gql(
      "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier state { name } } } }",
      { input: { teamId: teamCreate.team.id, title: "First" } },
    );
    expect(teamCreate.team.states.nodes).to.have.length(6);
    expect(issueCreate.issue).to.deep.equal({ identifier: "ENG-1", state: { name: "Backlog" } });
  });
});
