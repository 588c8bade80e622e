// Tests the first run of a new server: an account, keys, a recorded event, and an issue created by a stock MCP client.
// Reads TRACKER_URL, MCP_URL and STARTED_AT (start of the test in seconds since 1970). Writes the keys to KEYS_FILE if
// that is set.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { TRACKER_URL, MCP_URL, STARTED_AT, KEYS_FILE } = process.env;
const since = () => `${(Date.now() / 1000 - Number(STARTED_AT)).toFixed(1)} s after the first command`;

/** Sends JSON and returns the JSON of the response. @throws Error for an unsuccessful status */
async function post(path, body, headers = {}) {
  const response = await fetch(`${TRACKER_URL}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const owner = { email: "first@example.com", password: "correct horse battery", name: "First" };
const bearerOf = ({ accessToken }) => ({ Authorization: `Bearer ${accessToken}` });
const signedUp = await post("/api/auth/signup", owner);
const made = await post("/api/organization", { name: "First", urlKey: "first" }, bearerOf(signedUp));
const { token: key } = await post("/api/api-keys", { label: "first" }, bearerOf(made));
const { key: ingestKey } = await post("/api/ingest-keys", { name: "first" }, bearerOf(made));
if (KEYS_FILE) writeFileSync(KEYS_FILE, JSON.stringify({ key, ingestKey }), { mode: 0o600 });
const event = {
  event_id: randomUUID(),
  session_id: randomUUID(),
  primitive_name: "my-agent",
  args: "Hello",
  result: "Hi",
};
const { accepted } = await post("/api/v1/capture-events", { events: [event] }, { "x-api-key": ingestKey });
if (accepted !== 1) throw new Error("the event was not accepted");
console.log(`the first event is recorded ${since()}`);

const team = 'mutation { teamCreate(input: { name: "Engineering", key: "ENG" }) { success } }';
await post("/graphql", { query: team }, { Authorization: key });
const client = new Client({ name: "first-run", version: "1" });
const requestInit = { headers: { Authorization: `Bearer ${key}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit }));
const call = { name: "create_issue", arguments: { team: "ENG", title: "Filed over MCP" } };
const { content, isError } = await client.callTool(call);
if (isError) throw new Error(JSON.stringify(content));
console.log(`MCP filed an issue ${since()}: ${content[0].text.split("\n")[0]}`);
await client.close();
