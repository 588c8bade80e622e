import { spawn } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { pino } from "pino";
import { type McpSupervisor, startMcpSupervisor } from "../../../server/mcp-supervisor.ts";

const MODULE = fileURLToPath(new URL("../../../server/mcp-supervisor.ts", import.meta.url));
const API = "http://127.0.0.1:64999";

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

/** Waits until /health reports the wanted state. */
async function untilHealthy(port: number, wanted = true): Promise<void> {
  for (;;) {
    const healthy = await fetch(`http://127.0.0.1:${port}/health`).then(
      (it) => it.ok,
      () => false,
    );
    if (healthy === wanted) return;
    await wait(50);
  }
}

describe("the MCP server under the MCP supervisor", () => {
  const started: McpSupervisor[] = [];
  const lines: { msg: string; childPid?: number; child?: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const start = (port: number) => {
    const supervisor = startMcpSupervisor({ url: API, host: "127.0.0.1", port, log });
    started.push(supervisor);
    return supervisor;
  };
  const pid = () => Number(lines.findLast((line) => line.childPid !== undefined)?.childPid);

  afterEach(() => Promise.all(started.splice(0).map((supervisor) => supervisor.stop())));

  it("is restarted when it dies, and ends with the server", async () => {
    const port = await freePort();
    const supervisor = start(port);
    await untilHealthy(port);
    const first = pid();
    process.kill(first, "SIGKILL");
    await untilHealthy(port, false);
    await untilHealthy(port);
    expect(pid()).to.not.equal(first);
    await supervisor.stop();
    await untilHealthy(port, false);
  });

  it("is served under the host of PUBLIC_URL that a proxy passes on, and under no other", async () => {
    const port = await freePort();
    process.env["PUBLIC_URL"] = "https://tracker.example.com";
    start(port);
    delete process.env["PUBLIC_URL"];
    await untilHealthy(port);
    const statusFor = async (host: string) => {
      const [response] = await once(get({ port, path: "/health", headers: { host } }), "response");
      response.resume();
      return response.statusCode;
    };
    expect(await statusFor("tracker.example.com")).to.equal(200);
    expect(await statusFor("other.example.com")).to.equal(403);
  });

  it("reports in one line that its port is in use, and is not restarted", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const before = lines.length;
    start(port);
    while (!lines.slice(before).some(({ msg }) => msg.includes("is taken"))) await wait(50);
    await wait(1_000);
    expect(lines.slice(before).map(({ msg }) => msg)).to.deep.equal([
      "starting the MCP server",
      `trackway-mcp: MCP_PORT ${port} is taken on 127.0.0.1; choose another, or 0`,
    ]);
    taken.close();
  });

  it("does not start with MCP_PORT=0", async () => {
    const before = lines.length;
    start(0);
    expect(lines.length).to.equal(before);
  });

  it("exits when the server is killed", async () => {
    const port = await freePort();
    const options = JSON.stringify({ url: API, host: "127.0.0.1", port });
    const program = `import { startMcpSupervisor } from ${JSON.stringify(MODULE)};
      const log = { info() {}, warn() {}, error() {} }; startMcpSupervisor({ ...${options}, log });`;
    const parent = spawn(process.execPath, ["--import", "tsx/esm", "--input-type=module", "-e", program]);
    await untilHealthy(port);
    parent.kill("SIGKILL");
    await untilHealthy(port, false);
  });
});
