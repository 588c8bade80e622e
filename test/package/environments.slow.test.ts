import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { buildServerUrl } from "../../formats/link.ts";
import type { App } from "../../server/app.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { findFreePort } from "../support/db/postgres.ts";
import { LISTENING_LINE, spawnServer } from "../support/run/process.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";

const isRoot = process.getuid?.() === 0;
/** A user id without an entry in /etc/passwd and without a home folder. */
const NOBODY = 23_456;
const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
const folder = () => mkdtempSync(join(tmpdir(), "trackway-env-"));

/** Creates a data directory with an empty database. */
function prepared(): string {
  const DATA_DIR = folder();
  copyEmptyDatabase(DATA_DIR);
  return DATA_DIR;
}

interface Program {
  name: string;
  args: string[];
  env(): Record<string, string>;
  /** Exit code according to the docs. For a server, the code after SIGTERM. */
  code: number;
  /** The program runs until a signal stops the process. */
  serves?: true;
  /** The program prints no result. */
  silent?: true;
  input?: string;
}

describe("a program in an unusual environment", () => {
  let app: App;
  let tenant: Tenant;

  before(async () => {
    app = await startServer();
    tenant = await createOrganization(app);
  });

  const cli = () => ({ TRACKWAY_URL: app.url, TRACKWAY_API_KEY: tenant.apiKey });
  const mcp = () => ({ TRACKER_URL: app.url, TRACKER_API_KEY: tenant.apiKey });
  const initialize = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "tests", version: "1" } },
  };
  const PROGRAMS: Program[] = [
    { name: "whoami", args: ["cli/bin.js", "whoami"], env: cli, code: 0 },
    { name: "list", args: ["cli/bin.js", "list", "--json"], env: cli, code: 0 },
    { name: "ready --claim", args: ["cli/bin.js", "ready", "--claim", "--json"], env: cli, code: 3, silent: true },
    { name: "mcp check", args: ["mcp/bin.js", "check"], env: mcp, code: 0 },
    { name: "mcp over stdio", args: ["mcp/bin.js"], env: mcp, code: 0, input: `${JSON.stringify(initialize)}\n` },
    {
      name: "mcp over http",
      args: ["mcp/bin.js", "http", "--port", "0"],
      env: mcp,
      code: 0,
      serves: true,
      silent: true,
    },
    { name: "admin", args: ["dist/server/admin/admin.js", "--help"], env: () => ({}), code: 0 },
    { name: "backup", args: ["dist/server/admin/backup.js", "--help"], env: () => ({}), code: 0 },
    { name: "restore", args: ["dist/server/admin/restore-file.js", "--help"], env: () => ({}), code: 0 },
    {
      name: "the server",
      args: ["--enable-source-maps", "dist/server/main.js"],
      env: () => ({ DATA_DIR: prepared(), PORT: "0", MCP_PORT: "0", TRACKWAY_BOOTSTRAP: "on" }),
      ...{ code: 0, serves: true, silent: true },
    },
  ];

  /** Runs a program in a shell that changes the environment. A server gets SIGTERM once the server listens. */
  async function run({ args, env, serves, input = "" }: Program, shell: string, given = env()) {
    if (given["DATA_DIR"] && shell.includes("setpriv")) {
      for (const name of ["", ...readdirSync(given["DATA_DIR"], { recursive: true, encoding: "utf8" })])
        chownSync(join(given["DATA_DIR"], name), NOBODY, NOBODY);
    }
    const program = args.map((word) => (/\.js$/.test(word) ? resolve(word) : word));
    const child = spawn("sh", ["-c", shell, "sh", process.execPath, ...program], {
      cwd: folder(),
      env: { PATH, ...given },
    });
    child.stdin.on("error", () => {});
    if (!serves) child.stdin.end(input);
    const texts = [text(child.stdout), text(child.stderr)] as const;
    const ended = once(child, "close");
    // The output may be discarded, so the test detects a running server by its files or a request.
    if (serves) {
      const begun = given["DATA_DIR"] ? join(given["DATA_DIR"], "first-run.txt") : undefined;
      const deadline = Date.now() + 60_000;
      while (child.exitCode === null && Date.now() < deadline && !(begun ? existsSync(begun) : false)) {
        if (!begun) {
          await sleep(3_000);
          break;
        }
        await sleep(20);
      }
      child.kill("SIGTERM");
    }
    const [stdout, stderr, [code]] = await Promise.all([...texts, ended]);
    return { code: code as number | null, stdout, stderr };
  }

  const ENVIRONMENTS: [name: string, shell: string, losesResult?: true][] = [
    [
      "without HOME and without an entry of its user",
      `exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups "$@"`,
    ],
    ["in a working folder that was deleted", 'rmdir "$PWD"; exec "$@"'],
    ["with a full standard output", 'exec "$@" > /dev/full', true],
    ["with a full standard error", 'exec "$@" 2> /dev/full'],
    ["with closed standard streams", 'exec "$@" >&- 2>&-'],
    ["with a closed standard error", 'exec "$@" 2>&-'],
  ];

  for (const program of PROGRAMS)
    for (const [name, shell, losesResult] of ENVIRONMENTS)
      it(`ends with its documented exit code and without a stack trace: ${program.name} ${name}`, async function () {
        if (shell.includes("setpriv") && !isRoot) this.skip();
        const { code, stdout, stderr } = await run(program, shell);
        expect(`${stdout}${stderr}`).not.to.match(/^\s+at .*:\d+|SystemError|ERR_/m);
        const lost = losesResult && !program.silent;
        expect(code, stderr).to.equal(lost ? 1 : program.code);
        if (lost) expect(stderr).to.match(/standard output cannot be written \(ENOSPC\)/);
      });

  it("reports in one line that a start needs a working folder", async () => {
    const server = PROGRAMS.at(-1) as Program;
    const { code, stderr } = await run(server, 'rmdir "$PWD"; exec "$@"', { PORT: "0", MCP_PORT: "0" });
    expect([code, stderr]).to.deep.equal([
      2,
      "trackway: The working folder was deleted: change to another folder, or give absolute paths.\n",
    ]);
  });

  it("reports in one line that a command needs a home folder", async function () {
    if (!isRoot) this.skip();
    const login = { name: "login", args: ["cli/bin.js", "login", app.url, "--token-stdin"], env: () => ({}), code: 1 };
    const shell = ENVIRONMENTS[0]?.[1] ?? "";
    const { code, stderr } = await run({ ...login, input: tenant.apiKey }, shell);
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      "trackway: This command needs a home folder, and this user has no home folder. try: set HOME=/some/folder and run the command again\n",
    );
  });

  it("keeps serving when its log's disk is full, and logs again once there is space", async () => {
    const DATA_DIR = prepared();
    const port = await findFreePort();
    const shell = 'exec "$@" > /dev/full 2> /dev/full';
    const env = { PATH, DATA_DIR, PORT: String(port), MCP_PORT: "0", TRACKWAY_BOOTSTRAP: "off" };
    const child = spawn("sh", ["-c", shell, "sh", process.execPath, resolve("dist/server/main.js")], { env });
    const ended = once(child, "close");
    const health = () =>
      fetch(`http://127.0.0.1:${port}/api/health/live`).then(
        ({ status }) => status,
        () => 0,
      );
    for (let tries = 0; (await health()) !== 200; tries += 1) {
      expect([tries < 600, child.exitCode]).to.deep.equal([true, null]);
      await sleep(100);
    }
    for (let request = 0; request < 50; request += 1) expect(await health()).to.equal(200);
    child.kill("SIGTERM");
    expect((await ended)[0]).to.equal(0);
  });
});

describe("a first start that receives SIGTERM", () => {
  it("ends with 0 and without a stack trace, and the next start creates and shows the owner", async () => {
    for (const after of [0, 10, 30, 60, 120, 250, 500]) {
      const DATA_DIR = prepared();
      const first = spawnServer({ DATA_DIR });
      await first.printed(LISTENING_LINE);
      await sleep(after);
      expect([after, await first.stop()]).to.deep.equal([after, 0]);
      expect(first.output()).not.to.match(/^\s+at /m);
      if (/Explore the API/.test(first.output())) continue;
      const second = spawnServer({ DATA_DIR });
      const [, key] = await second.printed(/"TRACKER_API_KEY": "(\w+)"/);
      const [, url] = await second.printed(LISTENING_LINE);
      const headers = { Authorization: String(key), "Content-Type": "application/json" };
      const query = JSON.stringify({ query: "{ viewer { email } teams { nodes { key } } }" });
      const response = await fetch(`${url}/graphql`, { method: "POST", headers, body: query });
      expect(await response.json()).to.deep.equal({
        data: { viewer: { email: "owner@trackway.local" }, teams: { nodes: [{ key: "ENG" }] } },
      });
      expect(await second.stop()).to.equal(0);
    }
  });

  it("ends with 0 at any time before it listens", async () => {
    for (const after of [300, 600, 900, 1_200]) {
      const server = spawnServer({ DATA_DIR: prepared() });
      await sleep(after);
      const code = await server.stop();
      // Before Node.js runs code of the program, the signal itself ends the process, and the code is null.
      expect([after, code === null ? 0 : code]).to.deep.equal([after, 0]);
      expect(server.output()).not.to.match(/^\s+at /m);
    }
  });
});

describe("a printed or stored link to a server", () => {
  it("never contains the address of all interfaces, in any notation", () => {
    for (const host of ["0.0.0.0", "0", "0x0", "00.0.0.0"])
      expect(buildServerUrl(host, 80)).to.equal("http://127.0.0.1:80");
    for (const host of ["::", "::0", "0:0:0:0:0:0:0:0"]) expect(buildServerUrl(host, 80)).to.equal("http://[::1]:80");
    expect(buildServerUrl("::ffff:0.0.0.0", 80)).to.equal("http://127.0.0.1:80");
    expect([
      buildServerUrl("::1", 80),
      buildServerUrl("localhost", 4000),
      buildServerUrl("192.0.2.1", 80),
    ]).to.deep.equal(["http://[::1]:80", "http://localhost:4000", "http://192.0.2.1:80"]);
  });

  it("never contains that address when the server listens on all interfaces without PUBLIC_URL", async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
    for (const HOST of ["0.0.0.0", ...(addresses.includes("::1") ? ["::"] : [])]) {
      const DATA_DIR = prepared();
      const MCP_PORT = String(await findFreePort());
      const server = spawnServer({ DATA_DIR, HOST, MCP_PORT, TRACKWAY_BOOTSTRAP: "on" });
      await server.printed(/Explore the API/);
      const [, url] = await server.printed(LISTENING_LINE);
      expect((await fetch(`${url}/api/health/live`)).status).to.equal(200);
      expect(await server.stop()).to.equal(0);
      for (const shown of [server.output(), readFileSync(join(DATA_DIR, "first-run.txt"), "utf8")])
        expect(shown).not.to.match(/\/\/(0\.0\.0\.0|\[::\])/);
    }
  });
});
