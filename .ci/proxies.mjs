// Client of `.ci/proxies` for servers behind a proxy. `checks` tests features that a proxy can break. `load` sends
// requests until SIGTERM and counts the responses. `changes` checks that one server receives a change of the other.
// `defaults` tests nginx with default settings. Reads TRACKER_URL, MCP_URL and KEYS_FILE.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { io } from "socket.io-client";

const { TRACKER_URL, MCP_URL, KEYS_FILE } = process.env;
const { key, ingestKey } = JSON.parse(readFileSync(KEYS_FILE, "utf8"));

/**
 * Uses a new connection for each request, because a proxy may close a kept connection at the moment of its next use.
 */
const own = { Connection: "close" };
const send = (url, body, headers) =>
  fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json", ...own, ...headers } });
const graphql = (query, url = TRACKER_URL) => send(`${url}/graphql`, JSON.stringify({ query }), { Authorization: key });
const createIssue = (title) =>
  `mutation { issueCreate(input: { teamId: "ENG", title: "${title}" }) { issue { identifier } } }`;
/** Sends an event. `bytes` is the number of spaces that are added to the body. */
const capture = (bytes = 0) => {
  const event = { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "load", args: "", result: "x" };
  return send(`${TRACKER_URL}/api/v1/capture-events`, JSON.stringify({ events: [event] }) + " ".repeat(bytes), {
    "x-api-key": ingestKey,
  });
};
async function connectMcp() {
  const client = new Client({ name: "proxies", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${key}`, ...own } };
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit }));
  return client;
}

/** Sends a body in chunks without its length. Returns the status and the text of the response. */
function sendChunked(path, bytes) {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(process.env.NODE_EXTRA_CA_CERTS);
    const headers = { "Content-Type": "application/json", "x-api-key": ingestKey };
    const asked = request(`${TRACKER_URL}${path}`, { method: "POST", headers, ca }, async (response) => {
      let text = "";
      for await (const piece of response) text += piece;
      resolve({ status: response.statusCode, text });
    });
    asked.on("error", reject);
    for (let sent = 0; sent < bytes; sent += 65_536) asked.write("x".repeat(65_536));
    asked.end();
  });
}

async function checkSizes() {
  assert.equal((await (await capture(9 * 1024 * 1024)).json()).accepted, 1);
  const large = await capture(11 * 1024 * 1024);
  const chunked = await sendChunked("/api/v1/capture-events", 11 * 1024 * 1024);
  const graphqlLarge = await graphql(`{ viewer { id } } #${"x".repeat(11 * 1024 * 1024)}`);
  for (const [status, text] of [
    [large.status, await large.text()],
    [chunked.status, chunked.text],
  ]) {
    assert.equal(status, 413);
    assert.equal(JSON.parse(text).code, "payload_too_large");
  }
  assert.equal(graphqlLarge.status, 413);
  assert.equal((await graphqlLarge.json()).errors[0].extensions.code, "PAYLOAD_TOO_LARGE");
  console.log("bodies: 9 MiB are taken, 11 MiB are the API's own 413, with a length and in chunks");
}

/** Checks that a socket receives a change that was sent to the server `from`. */
async function checkSocket(transport, from = TRACKER_URL) {
  const socket = io(TRACKER_URL, {
    auth: { token: key },
    transports: [transport],
    reconnection: false,
    forceNew: true,
  });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("connect_error", reject));
  const title = `by ${transport}`;
  const received = new Promise((resolve) => {
    socket.on("issue.created", ({ data }) => data.title === title && resolve());
  });
  await graphql(createIssue(title), from);
  await received;
  socket.disconnect();
  console.log(`sockets: a change comes over ${transport}`);
}

/** Checks HTTP/2 with a page, a query and a large body. Returns the status of the response to the body. */
async function checkHttp2(mebibytes) {
  const session = connect(TRACKER_URL, { ca: readFileSync(process.env.NODE_EXTRA_CA_CERTS) });
  const ask = (headers, body) =>
    new Promise((resolve, reject) => {
      let status;
      let text = "";
      const stream = session.request(headers, { endStream: body === undefined });
      stream.on("response", (answer) => {
        status = answer[":status"];
      });
      stream.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      stream.on("end", () => resolve({ status, text })).on("error", reject);
      if (body !== undefined) stream.end(body);
    });
  const post = (path, headers, body) =>
    ask({ ":method": "POST", ":path": path, "content-type": "application/json", ...headers }, body);
  const page = await ask({ ":path": "/inbox", accept: "text/html" });
  assert.equal(page.status, 200);
  assert.match(page.text, /<html/);
  const query = JSON.stringify({ query: "{ viewer { id } }" });
  assert.equal((await post("/graphql", { authorization: key }, query)).status, 200);
  const event = { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "load", args: "", result: "x" };
  const body = JSON.stringify({ events: [event] }) + " ".repeat(mebibytes * 1024 * 1024);
  const taken = await post("/api/v1/capture-events", { "x-api-key": ingestKey }, body);
  assert.equal(session.alpnProtocol, "h2");
  session.close();
  return taken.status;
}

async function checkMcp() {
  const client = await connectMcp();
  const { isError } = await client.callTool({ name: "list_teams", arguments: {} });
  assert.ok(!isError);
  await client.close();
  console.log("MCP: a tool is called; responses are whole, so that buffering changes nothing");
}

/** Tests nginx's default settings: no upgrade, nginx's own Host header, nginx's own limit of 1 MiB. */
async function defaults() {
  assert.equal(await checkHttp2(0), 202);
  assert.equal(await checkHttp2(2), 413);
  console.log("HTTP/2: the page and queries come through, and a body of 2 MiB is nginx's own 413");
  await checkMcp();
  await checkSocket("polling");
  const refused = await checkSocket("websocket").catch((error) => error);
  assert.ok(refused instanceof Error);
  console.log(`sockets: no WebSocket comes through (${refused.message})`);
  const statuses = [];
  const body = JSON.stringify({ email: "other@example.com", password: "wrong, eleven times" });
  for (let at = 1; at <= 11; at += 1) {
    const headers = { "X-Forwarded-For": `192.0.2.${at}` };
    statuses.push((await send(`${TRACKER_URL}/api/auth/login`, body, headers)).status);
  }
  assert.equal(statuses.at(-1), 401);
  console.log(
    "the caller's address: what a caller writes of it counts, so that TRUST_PROXY=on needs the header's line",
  );
  process.exit(0);
}

async function checkOAuth() {
  const server = await (await fetch(`${TRACKER_URL}/.well-known/oauth-authorization-server`)).json();
  assert.equal(server.issuer, TRACKER_URL);
  const document = await (await fetch(`${TRACKER_URL}/.well-known/oauth-protected-resource/mcp`)).json();
  assert.deepEqual([document.resource, document.authorization_servers], [MCP_URL, [TRACKER_URL]]);
  const refused = await send(MCP_URL, "{}", {});
  assert.equal(refused.status, 401);
  assert.match(
    refused.headers.get("www-authenticate"),
    new RegExp(`${TRACKER_URL}/.well-known/oauth-protected-resource/mcp`),
  );
  console.log("OAuth: issuer, resource and the challenge of MCP have the address outside");
}

/**
 * Checks that the server ignores a client's X-Forwarded-For. After ten failures for an account from one address, the
 * server throttles that address. With forged headers, a client would seem to have ten addresses.
 */
async function checkAddress() {
  const body = JSON.stringify({ email: "nobody@example.com", password: "wrong, eleven times" });
  const statuses = [];
  for (let at = 1; at <= 11; at += 1) {
    const headers = { "X-Forwarded-For": `192.0.2.${at}` };
    statuses.push((await send(`${TRACKER_URL}/api/auth/login`, body, headers)).status);
  }
  assert.equal(statuses.at(-1), 429);
  console.log("the caller's address: what a caller writes of it does not count");
}

async function checks() {
  await checkSizes();
  await checkSocket("websocket");
  await checkSocket("polling");
  assert.equal(await checkHttp2(9), 202);
  console.log("HTTP/2: the page, queries and a body of 9 MiB come through");
  await checkMcp();
  await checkOAuth();
  await checkAddress();
  const { status, headers } = await fetch(`${TRACKER_URL}/metrics`);
  assert.deepEqual([status, headers.get("x-request-id")], [404, null]);
  assert.match((await fetch(`${TRACKER_URL}/api/health`)).headers.get("strict-transport-security"), /max-age/);
  console.log("/metrics leads nowhere, and browsers are made to stay with TLS");
  process.exit(0);
}

async function load() {
  const counts = {};
  let ended = false;
  process.once("SIGTERM", () => {
    ended = true;
  });
  const repeat = async (name, ask, pause = 20) => {
    while (!ended) {
      const said = await ask().catch((error) => `${error.message} ${error.cause?.message ?? ""}`);
      counts[`${name} ${said}`] = (counts[`${name} ${said}`] ?? 0) + 1;
      await sleep(pause);
    }
  };
  const statusOf = (ask) => async () => {
    const response = await ask();
    await response.arrayBuffer();
    return response.status;
  };
  const callTool = async () => {
    const client = await connectMcp();
    const { isError, content } = await client.callTool({ name: "list_teams", arguments: {} });
    await client.close();
    // A tool that received 503 from the API reports that as text.
    const [{ text }] = content;
    return !isError ? 200 : text.includes("cannot reach its database") ? 503 : text;
  };
  const workers = [];
  for (let at = 0; at < 4; at += 1) {
    workers.push(
      repeat(
        "event",
        statusOf(() => capture()),
      ),
    );
    workers.push(
      repeat(
        "query",
        statusOf(() => graphql("{ issues(first: 5) { nodes { id title } } }")),
      ),
    );
    workers.push(
      repeat(
        "mutation",
        statusOf(() => graphql(createIssue(`load ${randomUUID()}`))),
      ),
    );
    workers.push(repeat("mcp", callTool));
  }
  await Promise.all(workers);
  for (const [name, count] of Object.entries(counts).sort()) console.log(`${name}: ${count}`);
  const bad = Object.keys(counts).filter((name) => !/ (200|202|503)$/.test(name));
  // Three other events were recorded before: one by the first run, and two by the checks.
  console.log(`acknowledged: ${counts["event 202"] + 3}`);
  process.exit(bad.length ? 1 : 0);
}

/** Checks that a socket of TRACKER_URL receives a change that was sent to OTHER_URL. */
async function changes() {
  await checkSocket("websocket", process.env.OTHER_URL);
  process.exit(0);
}

await { load, checks, changes, defaults }[process.argv[2]]();
