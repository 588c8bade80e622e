import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect } from "chai";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { findFreePort } from "../support/db/postgres.ts";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../support/run/process.ts";

const emptyDirectory = () => join(mkdtempSync(join(tmpdir(), "trackway-start-")), "data");

/** Creates a data directory with an empty database, for tests of later starts. Creating the database takes seconds. */
function preparedDirectory(): string {
  const directory = emptyDirectory();
  copyEmptyDatabase(directory);
  return directory;
}

describe("the first start", () => {
  const directory = emptyDirectory();
  let server: ServerProcess;

  before(async () => {
    server = spawnServer({ DATA_DIR: directory });
    await server.printed(/Explore the API/);
  });
  after(() => server.stop());

  it("prints an MCP configuration with which a client lists seven tools, reads ENG and creates an issue", async () => {
    const call = await connect(server);
    const tools = await call.tools();
    expect(tools).to.include.members([
      "list_teams",
      "list_issues",
      "get_issue",
      "create_issue",
      "update_issue",
      "create_comment",
      "list_projects",
    ]);
    expect(await call.tool("list_teams", {})).to.match(/ENG/);
    const made = await call.tool("create_issue", {
      team: "ENG",
      title: "Login fails",
      priority: "high",
      assignee: "me",
    });
    expect(made).to.match(/ENG-1/);
    expect(await call.tool("update_issue", { issue: "ENG-1", state: "Nowhere" })).to.match(
      /Backlog.*Todo.*In Progress/,
    );
    await call.close();
  });

  it("prints a curl command that records an event", async () => {
    const [, key] = await server.printed(/x-api-key: (sk_[0-9a-f]{64})/);
    const [, body] = await server.printed(/-d '(\{"events".*\})'/);
    const [, url] = await server.printed(LISTENING_LINE);
    const headers = { "content-type": "application/json", "x-api-key": String(key) };
    const response = await fetch(`${url}/api/v1/capture-events`, { method: "POST", headers, body: String(body) });
    expect(response.status).to.equal(202);
    expect(await response.json()).to.include({ accepted: 1, rejected: 0 });
  });

  it("stores the credentials in a file that only its owner can read", () => {
    const file = join(directory, "first-run.txt");
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readFileSync(file, "utf8")).to.match(/trk_api_[0-9a-f]{40}/);
  });

  it("stops a second server on the directory with one line and exit code 2, without harm", async () => {
    const second = spawnServer({ DATA_DIR: directory });
    expect(await second.ended).to.equal(2);
    expect(second.output().trim().split("\n")).to.have.length(1);
    const [, url] = await server.printed(LISTENING_LINE);
    expect((await fetch(`${url}/api/health`)).status).to.equal(200);
  });

  it("ends cleanly on Ctrl-C; the next start finds all data and prints no key", async () => {
    const [, key] = await server.printed(/"TRACKER_API_KEY": "(\w+)"/);
    expect(await server.stop("SIGINT")).to.equal(0);
    server = spawnServer({ DATA_DIR: directory });
    const [, url] = await server.printed(LISTENING_LINE);
    const headers = { Authorization: String(key), "Content-Type": "application/json" };
    const query = JSON.stringify({ query: '{ issue(id: "ENG-1") { title state { name } } }' });
    const response = await fetch(`${url}/graphql`, { method: "POST", headers, body: query });
    expect(await response.json()).to.deep.equal({
      data: { issue: { title: "Login fails", state: { name: "Backlog" } } },
    });
    expect(server.output()).not.to.match(/trk_api_/);
  });
});

describe("a first start with an MCP port", () => {
  const over = (server: ServerProcess) => /claude mcp add --transport http trackway (\S+)/.exec(server.output())?.[1];

  it("shows the address of MCP, which responds, if the port is free", async () => {
    const port = await findFreePort();
    const server = spawnServer({ DATA_DIR: preparedDirectory(), MCP_PORT: String(port), HOST: "localhost" });
    await server.printed(/Explore the API/);
    expect(over(server)).to.equal(`http://localhost:${port}/mcp`);
    expect((await fetch(`http://localhost:${port}/health`)).status).to.equal(200);
    await server.stop();
  });

  it("shows no key for MCP, and the reason, if the port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const directory = preparedDirectory();
    const server = spawnServer({ DATA_DIR: directory, MCP_PORT: String(port) });
    await server.printed(/Explore the API/);
    const kept = readFileSync(join(directory, "first-run.txt"), "utf8");
    for (const shown of [server.output(), kept]) {
      expect(shown).to.not.include(`127.0.0.1:${port}`);
      expect(shown).to.match(new RegExp(`MCP_PORT ${port} could not be had`));
      expect(shown).to.match(/"TRACKER_API_KEY": "trk_api_/);
    }
    expect(server.output()).to.include(`MCP_PORT ${port} is taken`);
    await server.stop();
    taken.close();
  });
});

describe("a server with SHUTDOWN_DELAY", () => {
  it("reports at its own and MCP's health that it stops, serves both meanwhile, and ends with 0", async () => {
    const port = await findFreePort();
    const env = { DATA_DIR: preparedDirectory(), MCP_PORT: String(port), SHUTDOWN_DELAY: "5" };
    const server = spawnServer(env);
    await server.printed(/Explore the API/);
    const [, url] = await server.printed(LISTENING_LINE);
    const mcp = `http://127.0.0.1:${port}`;
    const ended = server.stop();
    for (const health of [`${url}/api/health`, `${mcp}/health`]) while ((await fetch(health)).ok) await setTimeout(20);
    expect((await fetch(`${url}/api/health/live`)).status).to.equal(200);
    const unsigned = await fetch(`${mcp}/mcp`, { method: "POST" });
    expect([unsigned.status, unsigned.headers.get("connection")]).to.deep.equal([401, "close"]);
    expect(await ended).to.equal(0);
  });
});

describe("a first start that is killed", () => {
  it("continues with the next start, which prints working keys", async () => {
    const directory = emptyDirectory();
    const first = spawnServer({ DATA_DIR: directory });
    await first.printed(LISTENING_LINE);
    const begun = join(directory, "first-run.begun");
    while (!existsSync(begun)) await setTimeout(1);
    await first.stop("SIGKILL");
    // A process killed later may have finished the first run. Restores the file that marks an unfinished first run.
    writeFileSync(begun, "");
    const second = spawnServer({ DATA_DIR: directory });
    const [, key] = await second.printed(/"TRACKER_API_KEY": "(\w+)"/);
    const [, url] = await second.printed(LISTENING_LINE);
    const headers = { Authorization: String(key), "Content-Type": "application/json" };
    const query = JSON.stringify({ query: "{ teams { nodes { key } } }" });
    const response = await fetch(`${url}/graphql`, { method: "POST", headers, body: query });
    expect(await response.json()).to.deep.equal({ data: { teams: { nodes: [{ key: "ENG" }] } } });
    await second.printed(/Explore the API/);
    await second.stop();
    expect(existsSync(begun)).to.equal(false);
  });
});

describe("a start that is stopped", () => {
  it("ends by itself as process 1 of a container, and the next start continues", async () => {
    const directory = emptyDirectory();
    const first = spawnServer({ DATA_DIR: directory });
    while (!existsSync(directory)) await setTimeout(1);
    expect(await first.stop()).to.equal(0);
    const second = spawnServer({ DATA_DIR: directory });
    await second.printed(/Explore the API/);
    expect(await second.stop()).to.equal(0);
  });

  it("ends with 0 and without a stack trace at any time after it listens", async () => {
    for (const after of [0, 15, 40, 80, 150]) {
      const server = spawnServer({ DATA_DIR: preparedDirectory() });
      const [, url] = await server.printed(LISTENING_LINE);
      expect((await fetch(`${url}/api/health/live`)).status).to.equal(200);
      await setTimeout(after);
      expect([after, await server.stop()]).to.deep.equal([after, 0]);
      expect(server.output()).not.to.match(/^\s+at /m);
    }
  });
});

describe("a start that fails", () => {
  const refused = async (env: Record<string, string>) => {
    const server = spawnServer({ DATA_DIR: emptyDirectory(), ...env });
    const code = await server.ended;
    return { code, lines: server.output().trim().split("\n") };
  };

  it("names a DATA_DIR that cannot be created, where Node's own mkdir never returns", async () => {
    for (const DATA_DIR of ["/proc/x", "/proc/x/y/z"]) {
      const { code, lines } = await refused({ DATA_DIR });
      expect([code, lines.length]).to.deep.equal([2, 1]);
      expect(lines[0]).to.match(/^trackway: DATA_DIR: \/proc\/x.* cannot be used \(ENOENT/);
    }
  });

  it("names a variable that cannot be parsed", async () => {
    const { code, lines } = await refused({ PORT: "eighty" });
    expect(code).to.equal(2);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/PORT/);
  });

  it("names a port that is taken, and creates no credentials", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const directory = emptyDirectory();
    const { code, lines } = await refused({ PORT: String(port), DATA_DIR: directory });
    taken.close();
    expect(code).to.equal(2);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include(`${port} is taken`);
    expect(existsSync(join(directory, "first-run.txt"))).to.equal(false);
  });

  it("names an unreachable database, without the password", async () => {
    const { code, lines } = await refused({
      DATABASE_URL: "postgres://someone:hunter2@127.0.0.1:1/none",
      JWT_SECRET: "a secret that is long enough to be one",
    });
    expect(code).to.equal(2);
    expect(lines).to.have.length(1);
    expect(lines[0])
      .to.match(/DATABASE_URL/)
      .and.not.match(/hunter2/);
  });

  it("names variables that another variable makes ineffective, and variables that nothing reads", async () => {
    const database = { DATABASE_URL: "postgres://someone@127.0.0.1:1/none", JWT_SECRET: "x".repeat(32) };
    const faults: [Record<string, string>, RegExp][] = [
      [{ ...database, TRACKWAY_BOOTSTRAP: "on" }, /TRACKWAY_BOOTSTRAP: has no effect with DATABASE_URL/],
      [{ DATABASE_POOL: "5" }, /DATABASE_POOL: counts only with DATABASE_URL/],
      [{ DATABASE_DIRECT_URL: database.DATABASE_URL }, /DATABASE_DIRECT_URL: counts only with DATABASE_URL/],
      [{ TRACKWAY_BOOTSTRP: "on" }, /TRACKWAY_BOOTSTRP: there is no such variable/],
    ];
    const replies = await Promise.all(faults.map(([env]) => refused(env)));
    for (const [at, { code, lines }] of replies.entries()) {
      expect(code, lines.join()).to.equal(2);
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(faults[at]?.[1] ?? /never/);
    }
  });

  it("asks for JWT_SECRET with DATABASE_URL", async () => {
    const { code, lines } = await refused({ DATABASE_URL: "postgres://someone@127.0.0.1:1/none" });
    expect(code).to.equal(2);
    expect(lines[0]).to.match(/JWT_SECRET/);
  });
});

/** Connects a stock MCP client with the configuration that the server printed. */
async function connect(server: ServerProcess) {
  const [, text] = await server.printed(/^( {2}\{\n[\s\S]*?\n {2}\})$/m);
  const { command, args, env } = JSON.parse(String(text)).mcpServers.trackway;
  const client = new Client({ name: "a newcomer", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, env }));
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    tool: async (name: string, input: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: input })).content),
    close: () => client.close(),
  };
}
