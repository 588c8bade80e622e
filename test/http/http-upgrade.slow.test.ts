import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { startSharedMcp } from "../support/mcp.ts";
import { createOrganization, type Tenant } from "../support/server.ts";

/** The headers that `curl --http2` and Java's client send with the first request over plain HTTP. */
const H2C = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAAQCAAAAAAIAAAAA" };
const WEBSOCKET = {
  Connection: "keep-alive, Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "AQIDBAUGBwgJCgsMDQ4PEC==",
};
const LAST = { Connection: "close" };
/** Generous for a busy machine. Without a response, the test must fail here instead of hanging. */
const SILENCE_MS = 30_000;

interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  chunked?: boolean;
}

function bytesOf({ method = "GET", path, headers = {}, body, chunked }: Sent): string {
  const framing = chunked
    ? { "Transfer-Encoding": "chunked" }
    : body !== undefined && { "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: "localhost", ...headers, ...framing }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const sent = chunked && body ? `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n` : (body ?? "");
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${sent}`;
}

/** Writes pieces to a connection in sequence, and returns everything received until the connection closed. */
async function exchange(url: string, pieces: readonly string[]): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  socket.on("error", () => {});
  const quiet = setTimeout(() => socket.destroy(new Error("silence")), SILENCE_MS);
  const all = text(socket).catch(() => "");
  for (const piece of pieces) await new Promise((sent) => socket.write(piece, "latin1", () => setTimeout(sent, 20)));
  return all.finally(() => clearTimeout(quiet));
}

/**
 * Writes each piece after the response to the previous piece, as clients do. Without an upgrade listener, Node.js
 * loses bytes that arrive together with an upgrade request.
 */
async function exchangeInTurn(url: string, pieces: readonly string[]): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  let all = "";
  socket.on("data", (piece) => {
    all += piece;
  });
  for (const [before, piece] of pieces.entries()) {
    socket.write(piece, "latin1");
    // A response may arrive in several pieces.
    while (statuses(all).length <= before) await once(socket, "data", { signal: AbortSignal.timeout(SILENCE_MS) });
  }
  socket.destroy();
  return all;
}

const statuses = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe("a request with an Upgrade header", () => {
  let tenant: Tenant;
  let json: Record<string, string>;
  before(async () => {
    tenant = await createOrganization();
    json = { Authorization: tenant.apiKey, "x-api-key": tenant.ingestKey, "Content-Type": "application/json" };
  });
  const viewer = () => ({
    method: "POST",
    path: "/graphql",
    headers: { ...json, ...H2C },
    body: '{"query":"{viewer{email}}"}',
  });
  const served = (): [Sent, number][] => [
    [{ path: "/api/health" }, 200],
    [{ path: "/graphql?query=%7Bviewer%7Bemail%7D%7D", headers: json }, 200],
    [{ path: "/api/api-keys", headers: { Authorization: `Bearer ${tenant.accessToken}` } }, 200],
    [{ path: "/nowhere" }, 404],
    [viewer(), 200],
    [{ ...viewer(), chunked: true }, 200],
    [{ method: "POST", path: "/api/v1/capture-events", headers: json, body: '{"events":[]}' }, 202],
    [{ method: "POST", path: "/api/auth/login", headers: json, body: "{}" }, 400],
    [{ path: "/socket.io/?EIO=4&transport=polling" }, 200],
  ];

  for (const [name, headers] of Object.entries({ h2c: H2C, TLS: { Connection: "upgrade", Upgrade: "TLS/1.0, h2c" } })) {
    it(`to ${name} is served without the upgrade`, async () => {
      for (const [request, status] of served()) {
        const sent = bytesOf({ ...request, headers: { ...request.headers, ...headers } });
        const answers = await exchange(tenant.url, [sent, bytesOf({ path: "/api/health", headers: LAST })]);
        expect(statuses(answers), request.path).to.deep.equal([status, 200]);
      }
    });
  }

  it("to WebSocket is served without the upgrade where no sockets are served", async () => {
    for (const [request, status] of served().slice(0, -1)) {
      const sent = bytesOf({ ...request, headers: { ...request.headers, ...WEBSOCKET } });
      const answers = await exchange(tenant.url, [sent, bytesOf({ path: "/api/health", headers: LAST })]);
      expect(statuses(answers), request.path).to.deep.equal([status, 200]);
    }
  });

  it("leaves pipelined requests in order, also behind a response in progress", async () => {
    const slow = bytesOf({ method: "POST", path: "/api/auth/login", headers: json, body: LOGIN });
    const piece = [slow, bytesOf(viewer()), bytesOf({ path: "/nowhere", headers: H2C }), bytesOf(viewer())].join("");
    const answers = await exchange(tenant.url, [piece, bytesOf({ path: "/api/health", headers: LAST })]);
    expect(statuses(answers)).to.deep.equal([401, 200, 404, 200, 200]);
  });

  it("may come thirty times on one connection, with a body in pieces", async () => {
    const warned: Error[] = [];
    const note = (warning: Error) => warned.push(warning);
    process.on("warning", note);
    const bytes = bytesOf({ ...viewer(), body: `{"query":"{viewer{email}}${" ".repeat(50_000)}"}` });
    const pieces = Array.from({ length: 30 }, () => [bytes.slice(0, 300), bytes.slice(300)]).flat();
    const answers = await exchange(tenant.url, [...pieces, bytesOf({ path: "/api/health", headers: LAST })]);
    process.off("warning", note);
    expect(statuses(answers)).to.deep.equal(Array(31).fill(200));
    expect(warned).to.deep.equal([]);
  });

  it("on a connection that breaks off affects no other connection", async () => {
    const { port, hostname } = new URL(tenant.url);
    for (let round = 0; round < 20; round += 1) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      const whole =
        bytesOf({ method: "POST", path: "/api/auth/login", headers: json, body: LOGIN }) + bytesOf(viewer());
      await new Promise((sent) => socket.write(whole.slice(0, whole.length - round), sent));
      socket.resetAndDestroy();
    }
    expect((await fetch(`${tenant.url}/api/health`)).status).to.equal(200);
  });

  it("and a malformed WebSocket handshake gets 400, 405 or 426", async () => {
    const path = "/socket.io/?EIO=4&transport=websocket";
    const { "Sec-WebSocket-Key": _, ...keyless } = WEBSOCKET;
    const faults: Sent[] = [
      { path, headers: keyless },
      { path, headers: { ...WEBSOCKET, "Sec-WebSocket-Key": "short" } },
      { path, headers: { ...WEBSOCKET, "Sec-WebSocket-Version": "1" } },
      { path, method: "POST", headers: WEBSOCKET, body: "x" },
      { path: "/socket.io/?EIO=4&transport=carrier-pigeon", headers: WEBSOCKET },
      { path: "/socket.io/?EIO=4&transport=websocket&sid=%00", headers: WEBSOCKET },
    ];
    for (const fault of faults) {
      const answers = await exchange(tenant.url, [bytesOf(fault)]);
      expect([400, 405, 426], answers).to.include(statuses(answers)[0]);
    }
  });

  it("is served without the upgrade by the MCP server too", async () => {
    const url = await startSharedMcp(tenant.url);
    const headers = { ...H2C, Authorization: `Bearer ${tenant.apiKey}`, Accept: "application/json, text/event-stream" };
    const { host } = new URL(url);
    const ping = { method: "POST", path: "/mcp", body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
    const sent = { ...ping, headers: { ...headers, Host: host, "Content-Type": "application/json" } };
    for (const upgrade of [H2C, WEBSOCKET]) {
      const last = bytesOf({ path: "/health", headers: { ...LAST, Host: host } });
      const answers = await exchangeInTurn(url, [bytesOf({ ...sent, headers: { ...sent.headers, ...upgrade } }), last]);
      expect(statuses(answers)).to.deep.equal([200, 200]);
    }
  });

  it("from curl --http2 is served", async function () {
    if (!(await curl(["--version"])).includes("HTTP2")) return this.skip();
    const key = `Authorization: ${tenant.apiKey}`;
    const post = ["--http2", "-H", key, "-H", "Content-Type: application/json", "-d", viewer().body];
    const answer = JSON.parse(await curl([...post, `${tenant.url}/graphql`]));
    expect(answer).to.deep.equal({ data: { viewer: { email: tenant.email } } });
    const health = `${tenant.url}/api/health`;
    const silent = ["-o", "/dev/null", "-o", "/dev/null"];
    expect(await curl(["--http2", ...silent, "-w", "%{http_code} ", health, health])).to.equal("200 200 ");
  });
});

async function curl(args: readonly string[]): Promise<string> {
  const child = spawn("curl", ["-s", "--max-time", "5", ...args], { stdio: ["ignore", "pipe", "ignore"] });
  child.once("error", () => {});
  return text(child.stdout);
}

const LOGIN = '{"email":"nobody@example.com","password":"not the password"}';
