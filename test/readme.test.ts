import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "chai";
import { freshOrganization } from "./support/server.ts";

const readme = readFileSync("README.md", "utf8");
const scripts: Record<string, string> = JSON.parse(readFileSync("package.json", "utf8")).scripts;
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text]) => String(text));
const run = promisify(execFile);

describe("the README", () => {
  it("names only npm scripts that exist", () => {
    const named = [...readme.matchAll(/npm (?:run )?(start|test|[a-z:]+)(?= |$|`|,|\.|\n)/gm)].map(([, name]) =>
      String(name),
    );
    expect(named.filter((name) => name !== "ci" && !scripts[name])).to.deep.equal([]);
  });

  it("has curl examples that work as written", async () => {
    const { url, apiKey, ingestKey, gql } = await freshOrganization();
    await gql('mutation { teamCreate(input: { name: "Engineering", key: "ENG" }) { success } }');
    const env = { ...process.env, TRACKER_API_KEY: apiKey, TRACKER_INGEST_KEY: ingestKey };
    const curls = blocks("sh").filter((text) => text.startsWith("curl"));
    const answers = await Promise.all(
      curls.map((text) =>
        run("bash", ["-c", text.replaceAll("http://127.0.0.1:4000", url).replace("curl ", "curl -sS ")], { env }),
      ),
    );
    const [teams, captured] = answers.map(({ stdout }) => JSON.parse(stdout));
    expect(teams.data.teams.nodes[0].states.nodes).to.have.length(6);
    expect(captured).to.include({ accepted: 1, rejected: 0 });
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
