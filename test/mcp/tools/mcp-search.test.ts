import { expect } from "chai";
import { connectSharedClient } from "../../support/mcp.ts";
import { createOrganization } from "../../support/server.ts";

describe("search through MCP", () => {
  async function withIssues() {
    const tenant = await createOrganization();
    const mcp = await connectSharedClient(tenant, { "x-mcp-toolsets": "all" });
    await tenant.gql('mutation { teamCreate(input: { key: "ENG", name: "Eng" }) { success } }');
    for (const title of ["Login page stays blank", "Invoices are wrong"])
      await mcp.call("create_issue", { team: "ENG", title });
    await mcp.call("create_comment", { issue: "ENG-2", body: "A rounding fault." });
    return mcp;
  }

  it("finds inflected words, in comments too, and names words that no issue contains", async () => {
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

  it("with similar_issues finds possible duplicates of a new issue", async () => {
    const { call } = await withIssues();
    const { data } = await call("similar_issues", {
      title: "Blank login pages",
      description: "They stay white.",
      team: "ENG",
    });
    expect(data.issues.map(({ id }: { id: string }) => id)).to.deep.equal(["ENG-1"]);
  });
});
