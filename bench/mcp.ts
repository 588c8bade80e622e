import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ISSUE_DOCUMENTS } from "../mcp/documents/issue.ts";
import { createOrganization, type Tenant } from "../test/support/server.ts";
import { computeMedian } from "./support/figures.ts";

/** Limits: the CPU of a call relative to the wrapped GraphQL request, and the time from start to the first response. */
const LIMITS = { stdio: 4, http: 6, firstAnswerMs: 700 };
const CALLS = 1_000;
const WARM_UP = 200;
const STARTS = 5;

interface Row {
  what: string;
  p50Ms: number;
  /** CPU of the API server and of the MCP server, in ms per call. */
  serverCpuMs: number;
  mcpCpuMs: number;
  /** The CPU of both servers, relative to the API server's CPU for the GraphQL request alone. */
  timesGraphql: number;
}

/**
 * Compares a call of list_issues over stdio and HTTP with the wrapped GraphQL request. Counts the CPU of every
 * process, and the time from start to the first response. Prints a table and a line of JSON.
 */
export async function benchMcp(): Promise<void> {
  const server = await startServer();
  const tenant = await createOrganization({ url: server.url });
  await seed(tenant);
  const variables = { filter: {}, first: 25, includeArchived: false };
  const graphql = await measure(() => tenant.gql(ISSUE_DOCUMENTS.list, variables), server.pid);
  const stdio = await overStdio(tenant);
  const http = await overHttp(tenant);
  const rows = [
    row("GraphQL request", graphql, graphql),
    row("stdio list_issues", await measure(stdio.call, server.pid, stdio.pid), graphql),
    row("HTTP list_issues", await measure(http.call, server.pid, http.pid), graphql),
  ];
  await Promise.all([stdio.close(), http.close()]);
  const firstAnswerMs = await medianStart(tenant);
  console.table(rows);
  console.log(`start to first answer, median of ${STARTS}: ${firstAnswerMs} ms`);
  console.log(JSON.stringify({ bench: "mcp", limits: LIMITS, rows, firstAnswerMs }));
  await server.stop();
}

interface Measured {
  p50Ms: number;
  serverCpuMs: number;
  mcpCpuMs: number;
}

async function measure(call: () => Promise<unknown>, server: number, mcp?: number): Promise<Measured> {
  for (let n = 0; n < WARM_UP; n += 1) await call();
  const [server0, mcp0] = [cpuMs(server), mcp ? cpuMs(mcp) : 0];
  const times: number[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
  }
  const serverCpuMs = (cpuMs(server) - server0) / CALLS;
  return { p50Ms: computeMedian(times), serverCpuMs, mcpCpuMs: mcp ? (cpuMs(mcp) - mcp0) / CALLS : 0 };
}

function row(what: string, { p50Ms, serverCpuMs, mcpCpuMs }: Measured, graphql: Measured): Row {
  const round = (value: number) => Math.round(value * 100) / 100;
  const timesGraphql = round((serverCpuMs + mcpCpuMs) / graphql.serverCpuMs);
  return { what, p50Ms: round(p50Ms), serverCpuMs: round(serverCpuMs), mcpCpuMs: round(mcpCpuMs), timesGraphql };
}

/** Total CPU time of a process and its threads, in ms. The kernel counts in steps of 10 ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function seed(tenant: Tenant): Promise<void> {
  await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
  const { id: teamId } = (await tenant.gql(`{ team(id: "ENG") { id } }`)).team;
  const document = `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success } }`;
  for (let n = 0; n < 30; n += 1) {
    await tenant.gql(document, { input: { teamId, title: `Login page hangs on Safari, case ${n}`, priority: 2 } });
  }
}

async function startServer(): Promise<{ url: string; pid: number; stop(): Promise<unknown> }> {
  const database = process.env["TEST_DATABASE_URL"];
  const child = spawn(process.execPath, ["--import", "tsx/esm", "server/main.ts"], {
    env: {
      ...process.env,
      ...{ PORT: "0", MCP_PORT: "0", LOG_LEVEL: "info", TRACKWAY_BOOTSTRAP: "off" },
      ...{ GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off" },
      DATA_DIR: join(await mkdtemp(join(tmpdir(), "trackway-bench-")), "data"),
      ...(database && { DATABASE_URL: database, JWT_SECRET: "a secret that is long enough to be one" }),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await firstMatch(child, child.stdout, /"url":"(http:[^"]+)"/);
  return { url, pid: Number(child.pid), stop: () => ended(child) };
}

const program = ["mcp/bin.js"];
const client = () => new Client({ name: "bench", version: "1.0.0" });

async function overStdio({ url, apiKey }: Tenant) {
  const env = { TRACKER_URL: url, TRACKER_API_KEY: apiKey };
  const transport = new StdioClientTransport({ command: process.execPath, args: program, env });
  const mcp = client();
  await mcp.connect(transport);
  return { pid: Number(transport.pid), call: () => mcp.callTool({ name: "list_issues" }), close: () => mcp.close() };
}

async function overHttp({ url, apiKey }: Tenant) {
  const args = [...program, "http", "--port", "0", "--url", url];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  const address = await firstMatch(child, child.stderr, /(http:\S+\/mcp)/);
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  const mcp = client();
  await mcp.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }) as never);
  const close = () => mcp.close().then(() => ended(child));
  return { pid: Number(child.pid), call: () => mcp.callTool({ name: "list_issues" }), close };
}

async function medianStart({ url, apiKey }: Tenant): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < STARTS; n += 1) {
    const began = performance.now();
    const env = { ...process.env, TRACKER_URL: url, TRACKER_API_KEY: apiKey };
    const child = spawn(process.execPath, program, { env, stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`);
    await firstMatch(child, child.stdout, /("list_issues")/);
    times.push(performance.now() - began);
    if (child.exitCode === null) await once(child, "exit");
  }
  return Math.round(computeMedian(times));
}

function firstMatch(child: ChildProcess, stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text = (text + piece).slice(-100_000);
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`a process ended with code ${code} before it said ${pattern}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
