import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tenant } from "../../test/support/server.ts";

/** An organization under torture: its acknowledged writes, and the times of the writes. */
export interface Ledger {
  tenant: Tenant;
  teamId: string;
  titles: Set<string>;
  eventIds: Set<string>;
  /** The number of the node with the organization's rows, on a database with several nodes. */
  node?: number;
  /** Every request with its end and status. Status 0 means that the connection broke or stayed silent. */
  answers: Answered[];
  /** Times of acknowledged writes by `performance.now()`, in order. */
  moments: number[];
  refused: number;
  /** Connections that broke or stayed silent, as expected from killed and frozen servers. */
  broken: number;
  /** Responses that were neither a success nor a clean refusal. */
  wrong: string[];
}

export interface Answered {
  at: number;
  ms: number;
  status: number;
}

/** Maximum wait of a client in ms. The client then asks another server. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 100;
const ISSUE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }";

export const newLedger = (tenant: Tenant, teamId: string): Ledger => ({
  tenant,
  teamId,
  titles: new Set(),
  eventIds: new Set(),
  answers: [],
  moments: [],
  refused: 0,
  broken: 0,
  wrong: [],
});

/**
 * Starts clients that create issues and record events, on the servers in
 * turn. Returns a function that stops the clients.
 */
export function startWriters(ledger: Ledger, urls: readonly string[], count: number): () => Promise<void> {
  let stopped = false;
  const loop = async (writer: number) => {
    for (let turn = writer; !stopped; turn += 1) {
      const url = urls[turn % urls.length] ?? "";
      const begun = performance.now();
      let status = 0;
      try {
        status = await (writer % 4 === 3 ? record : file)(ledger, url);
      } catch {
        ledger.broken += 1;
      }
      const at = performance.now();
      ledger.answers.push({ at, ms: at - begun, status });
      await sleep(PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: count }, (_, writer) => loop(writer)));
  return async () => {
    stopped = true;
    await all;
  };
}

/** Creates an issue. @returns the status; a refusal, which GraphQL returns with 200, counts as 503 */
async function file(ledger: Ledger, url: string): Promise<number> {
  const title = randomUUID();
  const input = { teamId: ledger.teamId, title };
  const { status, body } = await post(
    `${url}/graphql`,
    { Authorization: ledger.tenant.apiKey },
    { query: ISSUE, variables: { input } },
  );
  if (!judged(ledger, status, body)) return status < 300 ? 503 : status;
  if (body.data?.issueCreate) {
    ledger.titles.add(title);
    ledger.moments.push(performance.now());
  }
  return status;
}

async function record(ledger: Ledger, url: string): Promise<number> {
  const event_id = randomUUID();
  const event = { event_id, session_id: randomUUID(), primitive_name: "torture", args: "x", result: "y" };
  const headers = { "x-api-key": ledger.tenant.ingestKey };
  const { status, body } = await post(`${url}/api/v1/capture-events`, headers, { events: [event] });
  if (judged(ledger, status, body) && body.accepted === 1) ledger.eventIds.add(event_id);
  return status;
}

/** True for a success. Records a response that is neither a success nor a clean refusal. */
function judged(ledger: Ledger, status: number, body: { errors?: { extensions?: { code?: string } }[] }): boolean {
  const codes = (body.errors ?? []).map(({ extensions }) => extensions?.code ?? "none");
  const clean = status === 503 || status === 429 || codes.every((code) => /UNAVAILABLE|TIMEOUT|RATELIMITED/.test(code));
  if (status < 300 && codes.length === 0) return true;
  if (clean && (status < 300 || status === 503 || status === 429)) ledger.refused += 1;
  else ledger.wrong.push(`${status} ${codes.join()}`);
  return false;
}

interface Body {
  accepted?: number;
  data?: { issueCreate?: unknown };
  errors?: { extensions?: { code?: string } }[];
}

async function post(url: string, headers: Record<string, string>, body: object) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return { status: response.status, body: (await response.json()) as Body };
}
