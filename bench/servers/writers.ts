import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tenant } from "../../test/support/server.ts";

/** An organization under torture: what was acknowledged to whom writes into it, and when it last took a write. */
export interface Ledger {
  tenant: Tenant;
  teamId: string;
  titles: Set<string>;
  eventIds: Set<string>;
  /** When its writes were acknowledged, by `performance.now()`, in order. */
  moments: number[];
  refused: number;
  /** Connections that broke or stayed silent, as those of killed and frozen servers do. */
  broken: number;
  /** Answers that were neither a success nor a clean refusal. */
  wrong: string[];
}

/** A client waits no longer than this, and asks another server then. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 100;
const ISSUE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }";

/** A ledger with nothing in it. */
export const newLedger = (tenant: Tenant, teamId: string): Ledger => ({
  tenant,
  teamId,
  titles: new Set(),
  eventIds: new Set(),
  moments: [],
  refused: 0,
  broken: 0,
  wrong: [],
});

/** Clients that make issues and record events, each time of the next server; resolves to the way to stop them. */
export function startWriters(ledger: Ledger, urls: readonly string[], count: number): () => Promise<void> {
  let stopped = false;
  const loop = async (writer: number) => {
    for (let turn = writer; !stopped; turn += 1) {
      const url = urls[turn % urls.length] ?? "";
      try {
        if (writer % 4 === 3) await record(ledger, url);
        else await file(ledger, url);
      } catch {
        ledger.broken += 1;
      }
      await sleep(PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: count }, (_, writer) => loop(writer)));
  return async () => {
    stopped = true;
    await all;
  };
}

async function file(ledger: Ledger, url: string): Promise<void> {
  const title = randomUUID();
  const input = { teamId: ledger.teamId, title };
  const { status, body } = await post(
    `${url}/graphql`,
    { Authorization: ledger.tenant.apiKey },
    { query: ISSUE, variables: { input } },
  );
  if (!judged(ledger, status, body) || !body.data?.issueCreate) return;
  ledger.titles.add(title);
  ledger.moments.push(performance.now());
}

async function record(ledger: Ledger, url: string): Promise<void> {
  const event_id = randomUUID();
  const event = { event_id, session_id: randomUUID(), primitive_name: "torture", args: "x", result: "y" };
  const headers = { "x-api-key": ledger.tenant.ingestKey };
  const { status, body } = await post(`${url}/api/v1/capture-events`, headers, { events: [event] });
  if (judged(ledger, status, body) && body.accepted === 1) ledger.eventIds.add(event_id);
}

/** True for a success. An answer that is neither that nor a clean refusal is noted. */
function judged(ledger: Ledger, status: number, body: { errors?: { extensions?: { code?: string } }[] }): boolean {
  const codes = (body.errors ?? []).map(({ extensions }) => extensions?.code ?? "none");
  const clean = status === 503 || status === 429 || codes.every((code) => /UNAVAILABLE|TIMEOUT|RATELIMITED/.test(code));
  if (status < 300 && codes.length === 0) return true;
  if (clean && (status < 300 || status === 503 || status === 429)) ledger.refused += 1;
  else ledger.wrong.push(`${status} ${codes.join()}`);
  return false;
}

/** The answer of either API. */
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
