import { expect } from "chai";
import { connectSharedClient } from "../../support/mcp.ts";
import type { Tenant } from "../../support/server.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";
import { createWorkspace } from "../../support/workspace.ts";

const AT = "2020-02-03T04:05:06.000Z";

/** Imports an issue and a comment by external users, who have no account here. */
async function importStrangers({ gql }: Pick<Tenant, "gql">): Promise<string> {
  const about = { externalId: "old-1", team: "ENG", title: "From elsewhere", createdAt: AT };
  const issue = { ...about, creator: { name: "Zoe Elsewhere" }, assignee: { name: "Max Elsewhere" } };
  const comment = {
    externalId: "said",
    issue: "old-1",
    body: "Said.",
    author: { name: "Ann Elsewhere" },
    createdAt: AT,
  };
  const { issueBatchImport } = await gql(
    "mutation ($input: IssueBatchImportInput!) { issueBatchImport(input: $input) { results { status identifier message } } }",
    { input: { source: "site", rows: [{ issue }, { comment }] } },
  );
  const [row] = issueBatchImport.results;
  if (!row.identifier) throw new Error(row.message);
  return row.identifier;
}

describe("external users of imported issues", () => {
  it("are named by the MCP tool get_issue as creator of an issue and author of a comment", async () => {
    const space = await createWorkspace();
    const identifier = await importStrangers(space);
    const { call } = await connectSharedClient(space);
    const { issue } = (await call("get_issue", { issue: identifier })).data;
    expect(issue.creator).to.equal("Zoe Elsewhere");
    expect(issue.comments[0]).to.include({ author: "Ann Elsewhere", body: "Said." });
  });
});

describe("external users in the web app", () => {
  let identifier = "";
  const web = setUpBrowserTests(async (tenant) => {
    await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
    identifier = await importStrangers(tenant);
  });

  it("are named as authors and marked as non-members", async () => {
    const { issue } = await web.tenant.gql("query ($id: String!) { issue(id: $id) { url } }", { id: identifier });
    const { page, problems } = await web.open(new URL(issue.url).pathname);
    const comment = page
      .getByRole("list", { name: "Conversation" })
      .getByRole("listitem")
      .filter({ hasText: "Ann Elsewhere" });
    await comment.waitFor();
    expect(await comment.innerText())
      .to.contain("Ann Elsewhere")
      .and.contain("not a member");
    await page.getByText(/^Zoe Elsewhere created the issue/).waitFor();
    expect(await page.getByRole("region", { name: "Details" }).innerText()).to.contain("Max Elsewhere");
    expect(problems).to.deep.equal([]);
  });
});
