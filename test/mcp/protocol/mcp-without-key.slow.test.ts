import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { loadGraphqlLibrary } from "../../../mcp/api/graphql.ts";
import { readConfig } from "../../../mcp/config.ts";
import { createMcpHttpServer } from "../../../mcp/http/serve.ts";
import { createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

const WAITS = { headers: 200, request: 5_000, check: 20, key: 200 };
/** A tenth of the time limit for a connection without a key, with a margin for a busy machine. */
const SOON_MS = 2_500;
const FAKE = `trk_api_${"0".repeat(40)}`;
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

describe("a connection to MCP over HTTP", () => {
  let server: Server;
  let tenant: Tenant;
  before(async () => {
    await loadGraphqlLibrary();
    tenant = await createOrganization();
    const env = { TRACKER_URL: (await startSharedServer()).url };
    const config = readConfig([], env);
    const leaving = new AbortController().signal;
    server = createMcpHttpServer({ config, recorder: undefined, metrics: undefined, leaving }, WAITS);
    await once(server.listen(0, "127.0.0.1"), "listening");
  });
  after(() => server.close().closeAllConnections());

  const head = (key: string | undefined, more = "", line = "POST /mcp HTTP/1.1") =>
    `${line}\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${
      key === undefined ? "" : `Authorization: Bearer ${key}\r\n`
    }${more}`;
  const whole = (key: string | undefined, body = LIST) =>
    `${head(key, `Content-Length: ${body.length}\r\n`)}\r\n${body}`;
  const open = (text = "") => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    const parts: Buffer[] = [];
    socket.on("data", (part) => parts.push(part));
    if (text) socket.write(text);
    return { socket, received: () => Buffer.concat(parts).toString() };
  };
  const isClosed = (socket: Socket) => Promise.race([once(socket, "close").then(() => true), sleep(SOON_MS, false)]);
  const drip = (socket: Socket, byte: string) => {
    const timer = setInterval(() => socket.write(byte), 20);
    socket.once("close", () => clearInterval(timer));
  };

  const slowBody = (key: string | undefined) => `${head(key, "Content-Length: 100000\r\n")}\r\n`;
  const STRANGERS: Record<string, [text: string, dripped: string]> = {
    "says nothing": ["", ""],
    "sends headers slowly": [head(undefined, "X-Slow: "), "a"],
    "sends headers slowly with a key that nobody has": [head(FAKE, "X-Slow: "), "a"],
    "sends a body slowly without a key": [slowBody(undefined), " "],
    "sends a body slowly with a key that nobody has": [slowBody(FAKE), " "],
    "sends a body slowly with a token that nobody has": [slowBody(`trk_oauth_${"0".repeat(64)}`), " "],
    "sends a body that stops with a key that nobody has": [slowBody(FAKE), ""],
    "asks for its health and idles": [head(undefined, "\r\n", "GET /health HTTP/1.1"), ""],
    "asks for permission to send and idles": [head(undefined, "\r\n", "OPTIONS /mcp HTTP/1.1"), ""],
    "sends a request without a key and idles": [whole(undefined), ""],
    "lists tools with a key that nobody has and idles": [whole(FAKE), ""],
  };

  for (const [what, [text, dripped]] of Object.entries(STRANGERS)) {
    it(`that ${what} is closed`, async () => {
      const { socket } = open(text);
      if (dripped) drip(socket, dripped);
      expect(await isClosed(socket)).to.equal(true);
    });
  }

  it("with a key stays open through a pause, a second request and a slow body", async () => {
    const { socket, received } = open(whole(tenant.apiKey));
    await sleep(700);
    expect(received()).to.match(/^HTTP\/1.1 200 /);
    socket.write(`${head(tenant.apiKey, `Content-Length: ${LIST.length}\r\n`)}\r\n${LIST.slice(0, 10)}`);
    await sleep(700);
    socket.write(LIST.slice(10));
    while (received().match(/HTTP\/1.1 200 /g)?.length !== 2) await sleep(20);
    const first = open(`${head(tenant.apiKey, `Content-Length: ${LIST.length}\r\n`)}\r\n`);
    await sleep(700);
    first.socket.write(LIST);
    while (!/^HTTP\/1.1 200 /.test(first.received())) await sleep(20);
    for (const each of [socket, first.socket]) each.destroy();
  });
});
