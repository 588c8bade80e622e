import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "chai";
import { COMMAND_LOADERS_BY_HEADING } from "../../cli/commands.ts";
import { readRunnableBlocks, runBlocks } from "../support/cli/doc-commands.ts";
import { runReadmeCommands, startFirstServer } from "../support/cli/readme.ts";
import { findForeignPackages } from "../support/recording/fetching.ts";

const run = promisify(execFile);
const { version, engines } = JSON.parse(readFileSync("package.json", "utf8"));
const scratch = () => mkdtempSync(join(tmpdir(), "trackway-packages-"));
const KINDS = ["cli", "server", "mcpb"];
const MIB = 2 ** 20;

/** Packs all packages into a folder, with the given umask and time zone. */
async function packed(umask: string, zone: string): Promise<string> {
  const folder = scratch();
  const pack = KINDS.map((name) => `node scripts/pack/main.js ${name} ${folder}`).join(" && ");
  await run("sh", ["-c", `umask ${umask}; ${pack}`], { env: { ...process.env, TZ: zone } });
  return folder;
}

/** Installs a package under an empty prefix. With `offline`, npm uses an empty cache. */
async function installed(file: string, fetch: "offline" | "prefer-offline"): Promise<string> {
  const prefix = scratch();
  const cache = fetch === "offline" ? ["--cache", scratch()] : [];
  const args = ["install", `--${fetch}`, ...cache, "--prefix", prefix, "--no-audit", "--no-fund", file];
  await run("npm", args, { cwd: prefix });
  return prefix;
}

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

describe("the packages", () => {
  let folder: string;
  let cli: string;
  let server: string;
  const file = (name: string) => join(folder, `trackway-${name}-${version}.tgz`);
  const bin = (name: string) => join(name === "trackway-server" ? server : cli, "node_modules/.bin", name);
  const inside = () => [
    join(cli, "node_modules/@trackway/trackway"),
    join(server, "node_modules/@trackway/trackway-server"),
  ];

  before(async () => {
    folder = await packed("022", "UTC");
    [cli, server] = [await installed(file("cli"), "offline"), await installed(file("server"), "prefer-offline")];
  });

  it("are the same bytes when packed again, with any umask and time zone", async () => {
    const hashes = (of: string) =>
      readdirSync(of).map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(of, name)))
          .digest("hex"),
      ]);
    expect(hashes(await packed("077", "Asia/Tokyo"))).to.deep.equal(hashes(folder));
    expect(readdirSync(folder)).to.have.length(KINDS.length);
  });

  it("have a license, a homepage, the version and the Node.js requirement, and no sources and tests", () => {
    for (const path of inside()) {
      expect(readdirSync(path)).to.include.members(["LICENSE", "README.md"]);
      const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
      expect(manifest).to.deep.include({ version, engines, license: "MIT" });
      const sources = filesBelow(path).filter((name) => /\.ts$|\/test\//.test(name));
      expect(sources).to.deep.equal([]);
    }
  });

  it("contain a command line of at most 4 MB, without dependencies and native code", () => {
    const files = filesBelow(join(cli, "node_modules"));
    const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
    expect(bytes).to.be.below(4 * MIB);
    expect(files.filter((path) => path.endsWith(".node"))).to.deep.equal([]);
    expect(readdirSync(join(cli, "node_modules")).filter((name) => !name.startsWith("."))).to.deep.equal(["@trackway"]);
    const licences = ["cli", "mcp"].map((name) =>
      readFileSync(join(String(inside()[0]), `dist/${name}/LICENSES.txt`), "utf8"),
    );
    expect(licences[0]).to.include("\ncommander ");
    expect(licences[1]).to.include("\nzod ");
  });

  it("pin the server's dependencies to the tested versions", () => {
    const [, path = ""] = inside();
    const read = (name: string) => JSON.parse(readFileSync(name, "utf8"));
    const { packages: locked } = read("package-lock.json");
    const { packages: shipped } = read(join(path, "npm-shrinkwrap.json"));
    const names = Object.keys(shipped).filter(Boolean);
    expect(names).to.include("node_modules/knex").and.not.include("node_modules/esbuild");
    for (const name of names) expect(shipped[name].integrity, name).to.equal(locked[name].integrity);
    const { dependencies } = read(join(path, "package.json"));
    for (const [name, wanted] of Object.entries(dependencies))
      expect(read(join(server, "node_modules", name, "package.json")).version).to.equal(wanted);
    // The package scarf sends reports to its authors during installation.
    expect(names.filter((name) => name.includes("scarf"))).to.deep.equal([]);
  });

  it("run their own pages and the repository's README, pasted line by line beside a first start", async () => {
    const [path = "", serverPath = ""] = inside();
    const parts = { mcp: join(path, "mcp"), trackway: bin("trackway"), examples: join(serverPath, "examples") };
    // Examples use packages of the repository's node_modules.
    const start = await startFirstServer({
      server: [bin("trackway-server")],
      parts: { ...parts, node_modules: "node_modules" },
    });
    expect((await fetch(`${start.url}/api/health`)).status).to.equal(200);
    for (const page of ["/", "/docs", "/api/docs/swagger-ui.css", "/graphql/graphiql.min.js"])
      expect((await fetch(`${start.url}${page}`)).status, page).to.equal(200);
    await runReadmeCommands(start);
    symlinkSync(bin("trackway-server"), join(start.folder, "trackway-server"));
    const own = readFileSync(join(start.folder, "data/first-run.txt"), "utf8");
    const [key = ""] = /trk_api_\w+/.exec(own) ?? [];
    const [ingestKey = ""] = /sk_\w+/.exec(own) ?? [];
    const env = { TRACKER_API_KEY: key, TRACKER_INGEST_KEY: ingestKey, DATA_DIR: join(start.folder, "data") };
    const there = (text: string) => text.replaceAll("http://127.0.0.1:4000", start.url);
    const shown = await runBlocks(start.folder, readRunnableBlocks(join(path, "README.md")).map(there), env);
    expect(shown.join(""))
      .to.match(/Done: ENG-\d/)
      .and.include("connected");
    const [starts = "", ...others] = readRunnableBlocks(join(serverPath, "README.md"));
    expect(starts).to.equal("trackway-server\n");
    expect((await runBlocks(start.folder, others, env)).join("")).to.match(
      /bytes\. It holds[\s\S]*owner@trackway\.local/,
    );
    const tools = await toolsOver({
      command: bin("trackway"),
      args: ["mcp"],
      env: { ...process.env, HOME: start.folder },
    });
    expect(tools).to.include("create_issue");
    expect(await start.server.stop()).to.equal(0);
  });

  it("list the commands of trackway-server after an unknown command", () => {
    const { status, stderr } = spawnSync(bin("trackway-server"), ["begin"], { encoding: "utf8" });
    expect([status, stderr]).to.deep.equal([
      2,
      "trackway-server: there is no command begin; it takes start, admin, backup, restore\n",
    ]);
  });

  it("fetch no package by name, in their files and in printed commands", () => {
    const help = Object.values(COMMAND_LOADERS_BY_HEADING)
      .flatMap((commands) => Object.keys(commands))
      .map((name) => execFileSync(bin("trackway"), [name, "--help"], { encoding: "utf8" }));
    expect(help.length).to.be.greaterThan(20);
    const texts = inside()
      .flatMap(filesBelow)
      .filter((path) => !path.endsWith(".map") && !path.endsWith("LICENSES.txt"))
      .map((path) => ({ path, text: readFileSync(path, "utf8") }));
    const printed = help.map((text) => ({ path: "--help", text }));
    expect([...texts, ...printed].flatMap(({ path, text }) => findForeignPackages(path, text))).to.deep.equal([]);
  });
});

/** Returns the tools that a program offers to a stock MCP client over stdio. */
async function toolsOver(program: { command: string; args: string[]; env: NodeJS.ProcessEnv }): Promise<string[]> {
  const client = new Client({ name: "reader", version: "1" });
  await client.connect(new StdioClientTransport(program as { command: string; env: Record<string, string> }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}
