import { expect } from "chai";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { closeMcp, type McpClient, mcpFor } from "./support/mcp.ts";
import { freshOrganization, type Tenant } from "./support/server.ts";

/** Counts what a model would spend: the arguments it writes and the results it reads. */
function counting({ call }: McpClient) {
  const spent = { calls: 0, tokens: 0 };
  const counted: McpClient["call"] = async (tool, args = {}) => {
    const answer = await call(tool, args);
    spent.calls += 1;
    spent.tokens += countTokens(JSON.stringify({ tool, args })) + countTokens(answer.text);
    return answer;
  };
  return { spent, call: counted };
}

async function withTeam(): Promise<Tenant & { mcp: McpClient }> {
  const tenant = await freshOrganization();
  await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
  await tenant.gql(`mutation { issueLabelCreate(input: { name: "bug" }) { success } }`);
  return { ...tenant, mcp: await mcpFor(tenant, { "x-mcp-toolsets": "all" }) };
}

describe("MCP tasks, in calls and tokens", () => {
  after(closeMcp);

  it("assign the newest urgent bug of ENG to me: 2 calls, at most 250 tokens", async () => {
    const { mcp } = await withTeam();
    for (const title of ["Old crash", "New crash"])
      await mcp.call("create_issue", { team: "ENG", title, priority: "urgent", labels: ["bug"] });
    await mcp.call("create_issue", { team: "ENG", title: "Newest, but no bug", priority: "urgent" });
    const { call, spent } = counting(mcp);
    const found = await call("list_issues", { team: "ENG", priority: "urgent", labels: ["bug"], limit: 1 });
    const issue = found.data.issues[0].id;
    const { data } = await call("update_issue", { issue, assignee: "me" });
    expect(data.issue).to.include({ title: "New crash", assignee: "Olive Owner" });
    expect(spent.calls).to.equal(2);
    expect(spent.tokens).to.be.at.most(250);
  });
});
