import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { expect } from "chai";
import { blocksOf, checkoutFolder, paste, runnableOf } from "../support/doc-commands.ts";
import { spawnServer } from "../support/process.ts";
import { freshOrganization } from "../support/server.ts";

const readme = readFileSync("README.md", "utf8");
const scripts: Record<string, string> = JSON.parse(readFileSync("package.json", "utf8")).scripts;
const blocks = (language: string) => blocksOf("README.md", language);
/** Programs that the README registers the server with; each is stood in for by one that notes how it was called. */
const CLIENTS = ["claude", "codex", "gemini"];
const NOTE = `#!/bin/sh\n{ printf '%s\\n' "$@"; env | grep ^TRACKER_; } > "$0.told"\n`;

/** A folder as a checkout looks after its first start, the server running, and how to read the README in it. */
async function firstStart() {
  const folder = checkoutFolder();
  const [port, mcpPort] = await Promise.all([freePort(), freePort()]);
  const server = spawnServer({ DATA_DIR: join(folder, "data"), PORT: String(port), MCP_PORT: String(mcpPort) });
  await server.printed(/Explore the API/);
  for (const name of CLIENTS) writeFileSync(join(folder, name), NOTE, { mode: 0o755 });
  const here = (text: string) =>
    text.replaceAll("127.0.0.1:4000", `127.0.0.1:${port}`).replaceAll("127.0.0.1:4100", `127.0.0.1:${mcpPort}`);
  return {
    server,
    /** Pastes the commands of pages one after the other; answers what each block printed. */
    pasted: (...pages: string[]) =>
      paste(folder, pages.flatMap(runnableOf).map(here), { TRACKER_URL: `http://127.0.0.1:${port}` }),
    told: (client: string) => readFileSync(join(folder, `${client}.told`), "utf8"),
  };
}

/** The tools that a registered client is offered, by the address, and the key itself or the variable that has it. */
async function toolsFor(told: string): Promise<string[]> {
  const [address = ""] = /^http:.*\/mcp$/m.exec(told) ?? [];
  const variable = /^--bearer-token-env-var\n(\w+)$/m.exec(told)?.[1];
  const key = variable
    ? new RegExp(`^${variable}=(.+)$`, "m").exec(told)?.[1]
    : /^Authorization: Bearer (.+)$/m.exec(told)?.[1];
  const client = new Client({ name: "reader", version: "1" });
  const headers = { Authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } });
  await client.connect(transport as Transport);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("the README", function () {
  this.timeout(60_000);

  it("names only npm scripts that exist", () => {
    const named = [...readme.matchAll(/npm (?:run )?(start|test|[a-z:]+)(?= |$|`|,|\.|\n)/gm)].map(([, name]) =>
      String(name),
    );
    expect(named.filter((name) => name !== "ci" && !scripts[name])).to.deep.equal([]);
  });

  it("works when it is pasted line by line beside a first start, with no variable set before", async () => {
    const start = await firstStart();
    const shown = await start.pasted("README.md", "examples/README.md");
    const json = shown.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text));
    expect(shown.find((text) => text.includes("ingest key: "))).to.match(
      /^ok .*\nok .*\nok {3}ingest key: accepted\n$/,
    );
    expect(json[0].data.teams.nodes[0].states.nodes).to.have.length(6);
    expect(json[1]).to.include({ accepted: 1, rejected: 0 });
    expect(shown.join("")).to.match(/Claude Code is connected\. A first session is there: http:/);
    for (const client of CLIENTS) expect(await toolsFor(start.told(client)), client).to.include("create_issue");
    expect(await start.server.stop()).to.equal(0);
  });

  it("tells every key that it uses where to come from, and names the programs' own conditions", () => {
    const text = blocks("sh").join("");
    const used = new Set(
      [...text.matchAll(/\$(TRACKER_\w+)|env-var (TRACKER_\w+)/g)].map(([, one, two]) => one ?? two),
    );
    const set = new Set([...text.matchAll(/^export (\w+)=/gm)].map(([, name]) => name));
    expect([...used].filter((name) => !set.has(name))).to.deep.equal([]);
    for (const told of ["GEMINI_CLI_TRUST_WORKSPACE", "bin.js check", "codex mcp add"]) expect(readme).to.include(told);
  });

  it("has an MCP configuration that a stock client can use", async () => {
    const { url, apiKey } = await freshOrganization();
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

describe("the tutorial", function () {
  this.timeout(120_000);

  it("leads from a failure to a finished issue, pasted line by line beside a first start", async () => {
    const start = await firstStart();
    const [, session, filed, ready, fixed, shown] = await start.pasted("docs/tutorial.md");
    expect(session).to.include("Cannot find module './parser'");
    expect(JSON.parse(String(filed)).data.issueCreateFromFailure).to.deep.include({ status: "created" });
    expect(ready).to.match(/^ENG-1 /m);
    expect(fixed).to.include("finished ENG-1");
    expect(shown).to.match(/Done/).and.include("Restored the missing import");
    expect(await start.server.stop()).to.equal(0);
  });
});
