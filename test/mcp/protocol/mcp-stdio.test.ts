import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { readConfig } from "../../../mcp/config.ts";
import { DEFAULT_TOOLSETS, TOOLSETS } from "../../../mcp/registry/define-tool.ts";
import { TOOLS } from "../../../mcp/registry/tools.ts";
import { connectStdioClient, MCP_BIN } from "../../support/mcp.ts";
import { createOrganization } from "../../support/server.ts";

const KEY = `trk_api_${"0".repeat(40)}`;

/** Runs the executable with some lines of input. Returns the output and the exit code. */
async function run(lines: object[], env: Record<string, string> = {}, args: string[] = []) {
  const child = spawn(process.execPath, [MCP_BIN, ...args], { cwd: "/", env: { ...env } });
  const ended = once(child, "exit");
  child.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const messages = () =>
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { code: (await ended)[0], stderr, stdout, messages };
}

describe("the MCP server over stdio", () => {
  it("lists the seven default tools and files an issue by names alone", async () => {
    const tenant = await createOrganization();
    await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
    const { client, call } = await connectStdioClient(tenant);
    const seven = ["list_teams", "list_issues", "get_issue", "create_issue", "update_issue", "create_comment"];
    expect((await client.listTools()).tools.map(({ name }) => name)).to.include.members([...seven, "list_projects"]);
    expect((await call("list_teams")).data).to.deep.equal({ teams: [{ key: "ENG", name: "Engineering" }] });
    await call("create_issue", { team: "ENG", title: "First" });
    const { data } = await call("create_issue", { team: "ENG", title: "Second", priority: "high", assignee: "me" });
    expect(data.issue).to.include({ id: "ENG-2", priority: "high", assignee: "Olive Owner", state: "Backlog" });
    expect((await call("update_issue", { issue: "ENG-2", state: "Doing" })).text).to.equal(
      'Team ENG has no state "Doing". Call again with one of: Backlog, Todo, In Progress, Done, Canceled, Duplicate.',
    );
  });

  it("responds to requests sent before stdin ended, then exits with 0", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "whoami" } };
    const { code, messages } = await run([ping, call], { TRACKER_API_KEY: KEY, TRACKER_URL: "http://127.0.0.1:64999" });
    expect(code).to.equal(0);
    expect(messages().map(({ id }) => id)).to.deep.equal([1, 2]);
  });

  it("exits with 2 and one line on stderr when a variable is missing", async () => {
    for (const [env, name] of [
      [{}, "TRACKER_API_KEY"],
      [{ TRACKER_API_KEY: KEY, TRACKER_CAPTURE: "on" }, "TRACKER_INGEST_KEY"],
    ] as [Record<string, string>, string][]) {
      const { code, stderr, stdout } = await run([], env);
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: "" });
      expect(stderr).to.match(new RegExp(`^trackway-mcp: ${name}[^\\n]*\\n$`));
    }
  });

  it("lists in --help and in the docs the existing toolsets and the default ones", async () => {
    const { stdout } = await run([], {}, ["--help"]);
    expect(stdout).to.contain(`${TOOLSETS.join(", ")} or all (${DEFAULT_TOOLSETS.join(",")})`);
    const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``);
    const docs = async (name: string) => readFile(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
    expect(await docs("glossary")).to.contain(`can be enabled: ${quoted(TOOLSETS).join(", ")} |`);
    const [first, ...rest] = quoted(DEFAULT_TOOLSETS).toReversed();
    expect(await docs("mcp")).to.contain(`${rest.toReversed().join(", ")} and ${first} are on by default`);
    const tenant = await createOrganization();
    const { client } = await connectStdioClient(tenant);
    const offered = (await client.listTools()).tools.map(({ name }) => String(TOOLS.get(name)?.toolset));
    expect([...new Set(offered)]).to.have.members([...DEFAULT_TOOLSETS]);
  });

  it("prints commands and flags on stdout with --help, after any other arguments and without a key", async () => {
    for (const args of [
      ["--help"],
      ["-h"],
      ["http", "--help"],
      ["check", "--help"],
      ["--toolsets", "core", "--help"],
    ]) {
      const { code, stdout, stderr } = await run([], {}, args);
      expect({ code, stderr }, args.join(" ")).to.deep.equal({ code: 0, stderr: "" });
      for (const word of ["trackway-mcp http", "trackway-mcp check", "--toolsets", "TRACKER_API_KEY", "docs/mcp.md"])
        expect(stdout).to.contain(word);
    }
  });

  it("names the invalid variable or flag when it cannot start", () => {
    const fault =
      (env: Record<string, string>, ...args: string[]) =>
      () =>
        readConfig(args, env);
    expect(fault({ TRACKER_API_KEY: "nonsense" })).to.throw("TRACKER_API_KEY must be a personal key");
    expect(fault({ TRACKER_URL: "nonsense" })).to.throw("TRACKER_URL must be an http(s) address");
    expect(fault({ MCP_PORT: "nonsense" })).to.throw("MCP_PORT must be a port number");
    expect(fault({}, "--toolsets", "nonsense")).to.throw('Unknown toolset "nonsense"; there are core');
    expect(fault({}, "--nonsense")).to.throw("--nonsense");
  });

  it("reports with the command check what works and what does not", async () => {
    const { url, apiKey, ingestKey } = await createOrganization();
    const good = await run([], { TRACKER_URL: url, TRACKER_API_KEY: apiKey, TRACKER_INGEST_KEY: ingestKey }, ["check"]);
    expect(good.code, good.stdout).to.equal(0);
    const bad = await run([], { TRACKER_URL: url, TRACKER_API_KEY: KEY }, ["check"]);
    expect(bad.code).to.equal(1);
    expect(bad.stdout).to.match(/ok {3}server.*\nFAIL key: Trackway refused the API key/);
  });
});
