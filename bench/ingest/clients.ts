import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { newExport, newHook } from "./exports.ts";

/** The clients' record: all that was answered accepted, and every answer that should not have been. */
export interface Ledger {
  /** `args` of each accepted event by its id. */
  accepted: Map<string, string>;
  sessions: Set<string>;
  /** Answers with 429 or 503, which all had a Retry-After. */
  refused: number;
  /** Connections that broke; only a killed server may do that. */
  broken: number;
  /** Answers of another kind: there must be none. */
  wrong: string[];
  /** The longest wait for an answer, ms. */
  slowestMs: number;
  /** When the last success was answered, by `performance.now()`. */
  lastSuccess: number;
}

/** An empty ledger. */
export const newLedger = (): Ledger => ({
  accepted: new Map(),
  sessions: new Set(),
  refused: 0,
  broken: 0,
  wrong: [],
  slowestMs: 0,
  lastSuccess: 0,
});

/** Clients at work. */
export interface Clients {
  /** Lets each finish its request. */
  stop(): Promise<void>;
}

interface Target {
  url: string;
  key: string;
}

interface Order {
  path: string;
  body: string | Buffer;
  /** JSON by default. */
  type?: string;
  /** The additions to the ledger: events by row, or a session. */
  events: { id: string; args: string }[];
  session?: string;
}

/** The number of clients, and the most rows of their batches. */
export interface Crowd {
  count: number;
  rows: number;
}

const TIMEOUT_MS = 60_000;

/** Starts clients that post sessions, events, batches, hooks and exports of telemetry without end, now and then something again. */
export function startClients({ url, key }: Target, { count, rows }: Crowd, ledger: Ledger): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const state = { running: true };
  const work = Array.from({ length: count }, async () => {
    let order = newOrder(rows);
    while (state.running) {
      const done = await place(agent, url, key, order, ledger);
      if (!done) await sleep(20 + Math.random() * 80);
      // A client that was refused mostly sends the same again; one that was not, now and then.
      if (done ? Math.random() < 0.9 : Math.random() < 0.2) order = newOrder(rows);
    }
  });
  return {
    async stop() {
      state.running = false;
      await Promise.all(work);
      agent.destroy();
    },
  };
}

function newOrder(rows: number): Order {
  const session_id = uuidv7();
  const kind = Math.random();
  if (kind < 0.1) {
    const body = JSON.stringify({
      session_id,
      user_data: { user_id: `u-${Math.floor(Math.random() * 50)}`, plan: "pro" },
    });
    return { path: "/api/v1/capture-session", body, events: [], session: session_id };
  }
  if (kind < 0.25) return newExport(1 + Math.floor(Math.random() * rows));
  if (kind < 0.35) return newHook();
  const single = kind < 0.5;
  const events = Array.from({ length: single ? 1 : 1 + Math.floor(Math.random() * rows) }, () => {
    const event_id = uuidv7();
    const args = `of ${event_id} ${"x".repeat(Math.random() * 800)}`;
    return { event_id, session_id, primitive_name: "torture", args, result: "r".repeat(Math.random() * 400) };
  });
  return {
    path: single ? "/api/v1/capture-event" : "/api/v1/capture-events",
    body: JSON.stringify(single ? events[0] : { events }),
    events: events.map(({ event_id, args }) => ({ id: event_id, args })),
  };
}

/** Sends an order and books what became of it. Answers whether all of it was accepted. */
async function place(agent: Agent, url: string, key: string, order: Order, ledger: Ledger): Promise<boolean> {
  const begun = performance.now();
  const reply = await send(agent, url, key, order).catch(() => undefined);
  ledger.slowestMs = Math.max(ledger.slowestMs, performance.now() - begun);
  if (!reply) ledger.broken += 1;
  else if ([200, 202, 204].includes(reply.status)) return book(reply.body, order, ledger);
  else if ((reply.status === 503 || reply.status === 429) && Number(reply.retryAfter) >= 1) ledger.refused += 1;
  else ledger.wrong.push(`${reply.status} ${reply.body.slice(0, 200)}`);
  return false;
}

function book(body: string, order: Order, ledger: Ledger): boolean {
  ledger.lastSuccess = performance.now();
  const isTelemetry = !order.path.startsWith("/api/v1/capture-");
  if (isTelemetry && !isWhole(body)) ledger.wrong.push(`not kept: ${body}`);
  const { results } = (isTelemetry ? {} : JSON.parse(body)) as { results?: { status: string; reason: string }[] };
  if (order.session) ledger.sessions.add(order.session);
  for (const [row, { id, args }] of order.events.entries()) {
    const result = results ? results[row] : { status: "accepted", reason: "" };
    if (result?.status === "accepted") ledger.accepted.set(id, args);
    else ledger.wrong.push(`rejected: ${result?.reason}`);
  }
  return true;
}

/** Reports whether an answer names nothing that was not kept: OTLP answers nothing then, a transcript empty lists. */
function isWhole(body: string): boolean {
  const { bad = [], rejected = [], partialSuccess } = JSON.parse(body || "{}") as Record<string, unknown[] | undefined>;
  return bad.length === 0 && rejected.length === 0 && partialSuccess === undefined;
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

const send = (agent: Agent, url: string, key: string, order: Order): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { path, body, type = "application/json" } = order;
    const headers = { "x-api-key": key, "Content-Type": type, "Content-Length": Buffer.byteLength(body) };
    const sent = request(url + path, { agent, method: "POST", headers, timeout: TIMEOUT_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("error", reject).on("end", () => {
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], body: text });
      });
    });
    sent.on("error", reject).on("timeout", () => sent.destroy(new Error("no answer within a minute")));
    sent.end(body);
  });
