// A client of the servers behind a proxy, by `.ci/proxies`: `checks` asks what a proxy can spoil, `load` asks until SIGTERM and
// counts the answers. Takes TRACKER_URL, MCP_URL and KEYS_FILE.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { io } from "socket.io-client";

const { TRACKER_URL, MCP_URL, KEYS_FILE } = process.env;
const { key, ingestKey } = JSON.parse(readFileSync(KEYS_FILE, "utf8"));

/** Each request has a connection of its own: one that is kept may be closed by a proxy just as it is used again. */
const own = { Connection: "close" };
const send = (url, body, headers) =>
  fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json", ...own, ...headers } });
const graphql = (query) => send(`${TRACKER_URL}/graphql`, JSON.stringify({ query }), { Authorization: key });
const createIssue = (title) =>
  `mutation { issueCreate(input: { teamId: "ENG", title: "${title}" }) { issue { identifier } } }`;
/** Sends an event in a body of so many bytes more. */
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

/** Sends a body in chunks, without its length; answers status and text. */
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

async function checkSocket(transport) {
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
  await graphql(createIssue(title));
  await received;
  socket.disconnect();
  console.log(`sockets: a change comes over ${transport}`);
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

/** Ten failures of an account from one address are throttled; a caller who could write the header would have ten addresses. */
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
    const { isError } = await client.callTool({ name: "list_teams", arguments: {} });
    await client.close();
    return isError ? "error" : 200;
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
  // Two events were recorded before, by the first run and the checks.
  console.log(`acknowledged: ${counts["event 202"] + 2}`);
  process.exit(bad.length ? 1 : 0);
}

await (process.argv[2] === "load" ? load() : checks());
