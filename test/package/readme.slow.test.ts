import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "chai";
import { readFencedBlocks } from "../support/cli/doc-commands.ts";
import { runReadmeCommands, startFirstServer } from "../support/cli/readme.ts";
import { createOrganization } from "../support/server.ts";

const readme = readFileSync("README.md", "utf8");
const scripts: Record<string, string> = JSON.parse(readFileSync("package.json", "utf8")).scripts;
const blocks = (language: string) => readFencedBlocks("README.md", language);

describe("the README", () => {
  it("names only npm scripts that exist", () => {
    const named = [...readme.matchAll(/npm (?:run )?(start|test|[a-z:]+)(?= |$|`|,|\.|\n)/gm)].map(([, name]) =>
      String(name),
    );
    expect(named.filter((name) => name !== "ci" && !scripts[name])).to.deep.equal([]);
  });

  it("works when pasted line by line beside a first start, without variables set before", async () => {
    const start = await startFirstServer();
    await runReadmeCommands(start);
    expect(await start.server.stop()).to.equal(0);
  });

  it("states the source of every key, and the requirements of the programs", () => {
    const text = blocks("sh").join("");
    const used = new Set(
      [...text.matchAll(/\$(TRACKER_\w+)|env-var (TRACKER_\w+)/g)].map(([, one, two]) => one ?? two),
    );
    const set = new Set([...text.matchAll(/^export (\w+)=/gm)].map(([, name]) => name));
    expect([...used].filter((name) => !set.has(name))).to.deep.equal([]);
    for (const told of ["GEMINI_CLI_TRUST_WORKSPACE", "bin.js check", "codex mcp add"]) expect(readme).to.include(told);
  });

  it("has an MCP configuration that works with a stock client", async () => {
    const { url, apiKey } = await createOrganization();
    const { command, args, env } = JSON.parse(String(blocks("json")[0])).mcpServers.trackway;
    const client = new Client({ name: "reader", version: "1" });
    const path = String(args[0]).replace("/path/to/trackway", resolve("."));
    await client.connect(
      new StdioClientTransport({ command, args: [path], env: { ...env, TRACKER_URL: url, TRACKER_API_KEY: apiKey } }),
    );
    const { tools } = await client.listTools();
    await client.close();
    expect(tools.map(({ name }) => name)).to.include("create_issue");
  });

  it("links only to pages that exist", () => {
    const links = [...readme.matchAll(/\]\(([\w./-]+)\)/g)].map(([, path]) => String(path));
    for (const path of links) expect(() => readFileSync(path), path).not.to.throw();
  });
});

describe("the tutorial", () => {
  it("leads from a failure to a completed issue, pasted line by line beside a first start", async () => {
    const start = await startFirstServer();
    const [, session, filed, ready, fixed, shown] = await start.pasted("docs/tutorial.md");
    expect(session).to.include("Cannot find module './parser'");
    expect(JSON.parse(String(filed)).data.issueCreateFromFailure).to.deep.include({ status: "created" });
    expect(ready).to.match(/^ENG-1 /m);
    expect(fixed).to.include("finished ENG-1");
    expect(shown).to.match(/Done/).and.include("Restored the missing import");
    expect(await start.server.stop()).to.equal(0);
  });
});
