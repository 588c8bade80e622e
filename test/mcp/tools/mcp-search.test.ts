import { expect } from "chai";
import { mcpFor } from "../../support/mcp.ts";
import { freshOrganization } from "../../support/server.ts";

describe("Searching through MCP", () => {
  async function withIssues() {
    const tenant = await freshOrganization();
    const mcp = await mcpFor(tenant, { "x-mcp-toolsets": "all" });
    await tenant.gql('mutation { teamCreate(input: { key: "ENG", name: "Eng" }) { success } }');
    for (const title of ["Login page stays blank", "Invoices are wrong"])
      await mcp.call("create_issue", { team: "ENG", title });
    await mcp.call("create_comment", { issue: "ENG-2", body: "A rounding fault." });
    return mcp;
  }

  it("finds other forms of words, in comments too, and names words that no issue has", async () => {
    const { call } = await withIssues();
    const ids = async (query: string) =>
      (await call("list_issues", { query })).data.issues.map(({ id }: { id: string }) => id);
    expect(await ids("logins staying")).to.deep.equal(["ENG-1"]);
    expect(await ids("rounding faults")).to.deep.equal(["ENG-2"]);
    expect((await call("list_issues", { query: "zebra login" })).text).to.contain("ENG-1");
    expect((await call("list_issues", { query: "zebra" })).data).to.deep.equal({
      issues: [],
      unmatched_words: ["zebra"],
    });
  });

  it("similar_issues finds what a new issue may repeat", async () => {
    const { call } = await withIssues();
    const { data } = await call("similar_issues", {
      title: "Blank login pages",
      description: "They stay white.",
      team: "ENG",
    });
    expect(data.issues.map(({ id }: { id: string }) => id)).to.deep.equal(["ENG-1"]);
  });
});
