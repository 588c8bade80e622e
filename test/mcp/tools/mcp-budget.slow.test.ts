import { readFile, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { Tool } from "../../../mcp/registry/define-tool.ts";
import { TOOLS } from "../../../mcp/registry/tools.ts";
import { connectSharedClient } from "../../support/mcp.ts";
import { createOrganization } from "../../support/server.ts";

const SNAPSHOT = new URL("../../snapshots/mcp-tools.json", import.meta.url);

/** Counts the tokens of a tool's definition, which a model has to read before a call. */
const cost = ({ definition: { name, description, inputSchema } }: Tool) =>
  countTokens(JSON.stringify({ name, description, inputSchema }));
const sum = (tools: Tool[]) => tools.reduce((total, tool) => total + cost(tool), 0);
const of = (...toolsets: string[]) => [...TOOLS.values()].filter(({ toolset }) => toolsets.includes(toolset));

const TITLES = [
  "Login page hangs on Safari when cookies are blocked",
  "Export of large projects times out after thirty seconds",
  "Add keyboard shortcuts to the issue list",
  "Webhook retries ignore the Retry-After header",
  "Wrong total on invoices with two tax rates",
];

describe("the MCP tool list in o200k tokens", () => {
  it("costs at most 2,000 for the toolset core, 2,800 with sessions and 2,900 with work", () => {
    expect(sum(of("core"))).to.be.at.most(2_000);
    expect(sum(of("core", "sessions"))).to.be.at.most(2_800);
    expect(sum(of("core", "sessions", "work"))).to.be.at.most(2_900);
  });

  it("costs at most 450 for any tool", () => {
    for (const tool of TOOLS.values()) expect(cost(tool), tool.name).to.be.at.most(450);
  });

  it("lets 25 rows of list_issues cost at most 1,300", async () => {
    const tenant = await createOrganization();
    await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
    await tenant.gql(`mutation { issueLabelCreate(input: { name: "bug" }) { success } }`);
    const { call } = await connectSharedClient(tenant);
    const words = { team: "ENG", priority: "high", assignee: "me", state: "In Progress", labels: ["bug"] };
    for (let n = 0; n < 26; n += 1) await call("create_issue", { ...words, title: TITLES[n % TITLES.length] });
    const { text, data } = await call("list_issues", { team: "ENG" });
    expect(data.issues).to.have.length(25);
    expect(countTokens(text)).to.be.at.most(1_300);
  }).timeout(60_000);

  it("equals the snapshot (UPDATE_SNAPSHOTS=1 updates it)", async () => {
    const listed = `${JSON.stringify(
      [...TOOLS.values()].map(({ definition }) => definition),
      null,
      2,
    )}\n`;
    if (process.env["UPDATE_SNAPSHOTS"]) await writeFile(SNAPSHOT, listed);
    expect(listed).to.equal(await readFile(SNAPSHOT, "utf8"));
  });

  it("gives every tool its four annotations and a closed input schema", () => {
    for (const { definition } of TOOLS.values()) {
      const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
      expect(definition["annotations"], definition.name).to.include.keys(...hints);
      expect(definition["inputSchema"], definition.name).to.have.property("additionalProperties", false);
    }
  });
});
