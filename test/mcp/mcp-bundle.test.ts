import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "chai";
import { unzipSync } from "fflate";
import { packBundle } from "../../scripts/pack/mcpb.js";

const read = async (path: string) => JSON.parse(await readFile(new URL(`../../${path}`, import.meta.url), "utf8"));

/** Unpacks a bundle into a folder, as a desktop client installs the bundle. */
async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "trackway-bundle-"));
  const files = unzipSync(await readFile(await packBundle(folder)));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

describe("the MCP package", () => {
  it("runs as a desktop bundle by the bundle's manifest, without node_modules", async () => {
    const folder = await installed();
    const { server } = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
    const args = server.mcp_config.args.map((argument: string) => argument.replace(/^\$\{__dirname\}/, folder));
    const settings = { ...server.mcp_config.env, TRACKER_URL: "", TRACKER_API_KEY: `trk_api_${"0".repeat(40)}` };
    const client = new Client({ name: "tests", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env: settings, cwd: "/" }));
    expect((await client.listTools()).tools.map(({ name }) => name)).to.include("create_issue");
    await client.close();
  });

  it("has the same name, version and server in server.json and package.json", async () => {
    const [server, project] = await Promise.all([read("server.json"), read("package.json")]);
    expect(server).to.include({ name: project.mcpName, version: project.version });
    expect(server.description).to.have.length.at.most(100);
    expect(project.bin["trackway-mcp"]).to.equal("mcp/bin.js");
  });
});
