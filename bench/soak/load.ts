import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import type { App } from "../../server/app.ts";
import { call, freshOrganization, sendGraphQL, type Tenant } from "../../test/support/server.ts";
import type { Timings } from "./timings.ts";

/** What was done so far, by kind, and how much of it failed. */
export type Counts = Record<string, number>;

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

/** An organization with a team, whose webhook is heard. */
interface Settled extends Tenant {
  teamId: string;
}

let made = 0;

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;

/** A document that was never sent before, with a filter of random shape. */
async function unique({ url, apiKey }: Tenant): Promise<boolean> {
  made += 1;
  const fields = FIELDS.map((field, at) => `a${made}_${at}: ${field}`).join(" ");
  const query = `query Q${made}($filter: IssueFilter) { issues(first: 5, filter: $filter) { nodes { ${fields} team { name } } } }`;
  const filter = { and: Array.from({ length: 1 + (made % 12) }, () => pick(FILTERS)) };
  return (await sendGraphQL(url, apiKey, { query, variables: { filter } })).errors === undefined;
}

const repeated = async ({ url, apiKey }: Tenant): Promise<boolean> =>
  (await sendGraphQL(url, apiKey, { query: REPEATED, variables: { first: 1 + (made % 3) } })).errors === undefined;

async function create(tenant: Settled): Promise<boolean> {
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
  const { body } = await call(url, "POST", "/api/v1/capture-events", { body: { events }, headers });
  return body["accepted"] === events.length;
}

/** Connects, is let in, stays a moment and leaves. */
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

/** Each with how many of a hundred requests it makes. */
const MIX: [name: string, share: number, run: (tenant: Settled) => Promise<boolean>][] = [
  ["unique", 40, unique],
  ["repeated", 25, repeated],
  ["capture", 15, capture],
  ["create", 12, create],
  ["visit", 8, visit],
];

function drawn(): (typeof MIX)[number] {
  let left = Math.random() * 100;
  return MIX.find(([, share]) => {
    left -= share;
    return left < 0;
  }) as (typeof MIX)[number];
}

/** New organizations come at this pace, each with a webhook; the oldest are no longer asked for. */
const SIGN_UP_MS = 20_000;
const ACTIVE = 8;
/** More than this under way, and the load waits: the server is busy with others' work. */
const MAX_UNDER_WAY = 60;

/** Where the load goes, who hears its webhooks, and how many requests a second it makes. */
export interface Load {
  url: string;
  receiver: string;
  rate: number;
  timings: Timings;
}

/** Loads the server at a rate until `stop`, counts, and adds how long each answer took. */
export async function load({ url, receiver, rate, timings }: Load, stop: AbortSignal): Promise<Counts> {
  const counts: Counts = { failed: 0, held: 0 };
  const tenants = [await settle(url, receiver)];
  const settling = signUps(url, receiver, tenants, stop);
  let underWay = 0;
  for (let due = performance.now(); !stop.aborted; due += 1_000 / rate) {
    await sleep(Math.max(0, due - performance.now()));
    if (underWay >= MAX_UNDER_WAY) counts.held = (counts.held ?? 0) + 1;
    else {
      const [name, , run] = drawn();
      underWay += 1;
      const begun = performance.now();
      void run(pick(tenants))
        .catch(() => false)
        .then((ok) => {
          underWay -= 1;
          if (name !== "visit") timings.add(performance.now() - begun);
          const kind = ok ? name : "failed";
          counts[kind] = (counts[kind] ?? 0) + 1;
        });
    }
  }
  await settling;
  return counts;
}

async function signUps(url: string, receiver: string, tenants: Settled[], stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await sleep(SIGN_UP_MS, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) return;
    tenants.push(await settle(url, receiver));
    if (tenants.length > ACTIVE) tenants.shift();
  }
}

async function settle(url: string, receiver: string): Promise<Settled> {
  const tenant = await freshOrganization({ url } as App);
  const made = await tenant.rest("POST", "/api/webhooks", { target: receiver });
  if (made.status >= 300) throw new Error(`no webhook: ${JSON.stringify(made.body)}`);
  const { teamCreate } = await tenant.gql('mutation { teamCreate(input: { name: "Acme" }) { team { id } } }');
  return { ...tenant, teamId: teamCreate.team.id };
}
