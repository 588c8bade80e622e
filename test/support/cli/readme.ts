import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { expect } from "chai";
import { spawnServer } from "../run/process.ts";
import { createCheckoutFolder, readRunnableBlocks, runBlocks } from "./doc-commands.ts";

/**
 * Executables that the README calls to register the server. The tests replace each with a script that notes the
 * arguments.
 */
const CLIENTS = ["claude", "codex", "gemini"];
const NOTE = `#!/bin/sh\n{ printf '%s\\n' "$@"; env | grep ^TRACKER_; } > "$0.told"\n`;

/** Installation that replaces this checkout while the commands of the README run. */
interface Installed {
  /** Command that starts the server. */
  server: readonly string[];
  /** Paths of the files that the README mentions. */
  parts: Record<string, string>;
}

/**
 * Creates a folder as a checkout looks after the first start, with the server running, and functions that run the
 * README there.
 */
export async function startFirstServer(installed?: Installed) {
  const folder = createCheckoutFolder(installed?.parts);
  const [port, mcpPort] = await Promise.all([freePort(), freePort()]);
  const settings = { DATA_DIR: join(folder, "data"), PORT: String(port), MCP_PORT: String(mcpPort) };
  const server = spawnServer(settings, installed?.server);
  await server.printed(/Explore the API/);
  for (const name of CLIENTS) writeFileSync(join(folder, name), NOTE, { mode: 0o755 });
  const here = (text: string) =>
    text.replaceAll("127.0.0.1:4000", `127.0.0.1:${port}`).replaceAll("127.0.0.1:4100", `127.0.0.1:${mcpPort}`);
  const url = `http://127.0.0.1:${port}`;
  return {
    folder,
    server,
    url,
    /** Runs the commands of pages one after the other. Returns what each block printed. */
    pasted: (...pages: string[]) =>
      runBlocks(folder, pages.flatMap(readRunnableBlocks).map(here), { TRACKER_URL: url }),
    told: (client: string) => readFileSync(join(folder, `${client}.told`), "utf8"),
  };
}

/** Runs the commands of the README and of the examples' README beside a first start, and checks the output. */
export async function runReadmeCommands(start: Awaited<ReturnType<typeof startFirstServer>>): Promise<void> {
  const shown = await start.pasted("README.md", "examples/README.md");
  const json = shown.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text));
  expect(shown.find((text) => text.includes("ingest key: "))).to.match(/^ok .*\nok .*\nok {3}ingest key: accepted\n$/);
  expect(json[0].data.teams.nodes[0].states.nodes).to.have.length(6);
  expect(json[1]).to.include({ accepted: 1, rejected: 0 });
  expect(shown.join("")).to.match(/Claude Code is connected\. See the test session at http:/);
  for (const client of CLIENTS) expect(await toolsFor(start.told(client)), client).to.include("create_issue");
}

/**
 * Lists the tools that a registered client receives, by the registered URL and the key or the key's environment
 * variable.
 */
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
