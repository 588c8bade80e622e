import { expect } from "chai";
import { connectSharedClient } from "../../support/mcp.ts";
import { createOrganization } from "../../support/server.ts";

describe("the MCP tool update_issues", () => {
  async function withIssues() {
    const tenant = await createOrganization();
    const mcp = await connectSharedClient(tenant, { "x-mcp-toolsets": "all" });
    for (const key of ["ENG", "OPS"]) {
      await tenant.gql(`mutation { teamCreate(input: { key: "${key}", name: "${key}" }) { success } }`);
      for (const title of ["One", "Two"]) await mcp.call("create_issue", { team: key, title });
    }
    return { ...tenant, ...mcp };
  }

  it("changes issues of several teams, each to a state of its own team", async () => {
    const { call } = await withIssues();
    const issues = ["ENG-1", "eng-2", "OPS-1"];
    const { data } = await call("update_issues", { issues, state: "Done", priority: "low" });
    expect(data).to.include({ updated: 3, failed: 0 });
    const done = (await call("list_issues", { state: "Done", priority: "low" })).data.issues;
    expect(done.map(({ id }: { id: string }) => id)).to.have.members(["ENG-1", "ENG-2", "OPS-1"]);
  });

  it("reports each issue separately, and updates the others when one fails", async () => {
    const { call, gql } = await withIssues();
    const { id } = (await gql(`{ team(id: "OPS") { id } }`)).team;
    await gql(
      `mutation { workflowStateCreate(input: { teamId: "${id}", name: "Live", type: "completed", color: "#000000" }) { success } }`,
    );
    const { data } = await call("update_issues", { issues: ["ENG-1", "OPS-1", "ENG-77"], state: "Live" });
    expect(data).to.include({ updated: 1, failed: 2 });
    const of = (issue: string) => data.results.find((report: { issue: string }) => report.issue === issue);
    expect(of("OPS-1")).to.deep.equal({ issue: "OPS-1", status: "updated" });
    expect(of("ENG-1").error).to.match(/^Team ENG has no state "Live"/);
    expect(of("ENG-77").error).to.equal("There is no such issue.");
  });
});
