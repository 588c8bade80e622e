import { expect } from "chai";
import { PROMPTS } from "../../../mcp/prompts.ts";
import { connectSharedClient, type McpClient } from "../../support/mcp.ts";
import { createOrganization } from "../../support/server.ts";

async function withIssue(): Promise<McpClient> {
  const tenant = await createOrganization();
  await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
  const mcp = await connectSharedClient(tenant);
  await mcp.call("create_issue", { team: "ENG", title: "Login fails" });
  return mcp;
}

describe("the MCP server's resources, completions and prompts", () => {
  it("list the teams and the templates", async () => {
    const { client } = await withIssue();
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).to.deep.equal(["tracker://team/ENG"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    const uris = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(uris).to.include.members(["tracker://issue/{identifier}", "tracker://team/{key}"]);
  });

  it("show an issue as get_issue does", async () => {
    const { client, call } = await withIssue();
    const { contents } = await client.readResource({ uri: "tracker://issue/ENG-1" });
    const { text } = contents[0] as { text: string };
    expect(JSON.parse(text)).to.deep.equal((await call("get_issue", { issue: "ENG-1" })).data);
  });

  it("respond to an unknown resource with an error that names its URI", async () => {
    const { client } = await withIssue();
    for (const uri of ["tracker://issue/ENG-99", "tracker://planet/mars"]) {
      const error = await client.readResource({ uri }).catch((it) => it);
      expect(error.code).to.equal(-32002);
      expect(error.message).to.contain(uri);
    }
  });

  it("complete identifiers and keys, of templates and of prompt arguments", async () => {
    const { client } = await withIssue();
    const complete = async (ref: object, name: string, value: string) =>
      (await client.complete({ ref, argument: { name, value } } as never)).completion.values;
    const template = { type: "ref/resource", uri: "tracker://issue/{identifier}" };
    expect(await complete(template, "identifier", "eng-")).to.deep.equal(["ENG-1"]);
    expect(await complete(template, "identifier", "OPS")).to.deep.equal([]);
    for (const word of ["login", "Fails", "logi", "login fails"])
      expect(await complete(template, "identifier", word), word).to.deep.equal(["ENG-1"]);
    expect(await complete({ type: "ref/prompt", name: "triage" }, "team", "engi")).to.deep.equal(["ENG"]);
  });

  it("attach a prompt's subject, and refuse unknown prompts and missing arguments", async () => {
    const { client } = await withIssue();
    const { messages } = await client.getPrompt({ name: "plan_issue", arguments: { issue: "ENG-1" } });
    expect(messages[0]?.content).to.have.property("text").that.contains("Plan the work on ENG-1");
    expect(messages[1]?.content).to.have.nested.property("resource.uri", "tracker://issue/ENG-1");
    const fault = async (name: string, args: Record<string, string>) =>
      (await client.getPrompt({ name, arguments: args }).catch((it) => it)).message;
    expect(await fault("plan_issue", {})).to.contain("the argument issue is required");
    expect(await fault("nonsense", {})).to.contain("There are triage, standup");
  });

  it("refuse a prompt's argument that names an unknown entity as an invalid parameter", async () => {
    const { client } = await withIssue();
    const good = { team: "ENG", issue: "ENG-1", session: "" };
    let tried = 0;
    for (const { name, arguments: all } of PROMPTS.values())
      for (const bad of all.filter(({ kind }) => kind))
        for (const value of ["no such thing", "ZZZ-1", "0198c0de-0000-7000-8000-000000000002"]) {
          const args = all.flatMap(({ name: each, kind }) => (kind && each !== bad.name ? [[each, good[kind]]] : []));
          const given = Object.fromEntries([...args, [bad.name, value]].filter(([, text]) => text));
          const error = await client.getPrompt({ name, arguments: given }).catch((it) => it);
          expect([error.code, error.message], `${name} ${bad.name}`).to.have.property("0", -32602);
          tried += 1;
        }
    expect(tried).to.be.at.least(18);
  });

  it("return a prompt for its required arguments alone", async () => {
    const { client } = await withIssue();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).to.include.members(["triage", "standup", "plan_issue"]);
    const { messages } = await client.getPrompt({ name: "standup", arguments: { team: "ENG" } });
    expect(messages).to.have.length(1);
  });
});
