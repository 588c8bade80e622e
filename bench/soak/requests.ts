import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { callRestApi, sendGraphQL, type Tenant } from "../../test/support/server.ts";

const FIELDS = ["id", "title", "number", "priority", "createdAt", "identifier", "url", "branchName", "estimate"];
const FILTERS = [
  { title: { containsIgnoreCase: "broken" } },
  { priority: { gte: 1 } },
  { team: { key: { eq: "ACM" } } },
  { labels: { some: { name: { eq: "bug" } } } },
  { or: [{ number: { lt: 9 } }, { state: { type: { neq: "done" } } }] },
];
const REPEATED = "query ($first: Int) { issues(first: $first) { nodes { id title state { name } team { key } } } }";
const CREATE =
  "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }";

/** An organization with a team and a webhook. */
export interface PreparedTenant extends Tenant {
  teamId: string;
}

let made = 0;

export const pickRandom = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;

/** Sends a document that was never sent before, with a filter of random shape. */
async function unique({ url, apiKey }: Tenant): Promise<boolean> {
  made += 1;
  const fields = FIELDS.map((field, at) => `a${made}_${at}: ${field}`).join(" ");
  const query = `query Q${made}($filter: IssueFilter) { issues(first: 5, filter: $filter) { nodes { ${fields} team { name } } } }`;
  const filter = { and: Array.from({ length: 1 + (made % 12) }, () => pickRandom(FILTERS)) };
  return (await sendGraphQL(url, apiKey, { query, variables: { filter } })).errors === undefined;
}

const repeated = async ({ url, apiKey }: Tenant): Promise<boolean> =>
  (await sendGraphQL(url, apiKey, { query: REPEATED, variables: { first: 1 + (made % 3) } })).errors === undefined;

async function create(tenant: PreparedTenant): Promise<boolean> {
  const input = { teamId: tenant.teamId, title: `The login is broken ${randomUUID()}`, description: "x".repeat(2_000) };
  return (await sendGraphQL(tenant.url, tenant.apiKey, { query: CREATE, variables: { input } })).errors === undefined;
}

async function capture({ url, ingestKey }: Tenant): Promise<boolean> {
  const session = randomUUID();
  const events = Array.from({ length: 10 }, () => ({
    event_id: randomUUID(),
    session_id: session,
    primitive_name: "soak",
    args: "x".repeat(300),
    result: "y".repeat(300),
  }));
  const headers = { "x-api-key": ingestKey };
  const { body } = await callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers });
  return body["accepted"] === events.length;
}

/** Connects a socket, waits for admission, stays a moment and disconnects. */
async function visit({ url, apiKey }: Tenant): Promise<boolean> {
  const path = "/socket.io/?EIO=4&transport=websocket";
  const socket = new WebSocket(url.replace("http:", "ws:") + path, { perMessageDeflate: false });
  const letIn = new Promise<boolean>((resolve) => {
    socket.once("error", () => resolve(false)).once("close", () => resolve(false));
    socket.on("message", (data: Buffer) => {
      const packet = data.subarray(0, 2).toString();
      if (packet.startsWith("0")) socket.send(`40${JSON.stringify({ token: apiKey })}`);
      else if (packet.startsWith("4")) resolve(packet === "40");
    });
  });
  const ok = await letIn;
  await sleep(Math.random() * 2_000);
  socket.terminate();
  return ok;
}

/** Kinds of requests, with their share in percent. */
const MIX: [name: string, share: number, run: (tenant: PreparedTenant) => Promise<boolean>][] = [
  ["unique", 40, unique],
  ["repeated", 25, repeated],
  ["capture", 15, capture],
  ["create", 12, create],
  ["visit", 8, visit],
];

export function drawRequest(): (typeof MIX)[number] {
  let left = Math.random() * 100;
  return MIX.find(([, share]) => {
    left -= share;
    return left < 0;
  }) as (typeof MIX)[number];
}
