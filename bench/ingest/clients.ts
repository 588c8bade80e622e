import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { newExport, newHook } from "./exports.ts";

/** The clients' record: all events accepted by the server, and every unexpected response. */
export interface Ledger {
  /** `args` of each accepted event by its id. */
  accepted: Map<string, string>;
  sessions: Set<string>;
  /** Responses with 429 or 503, each with a Retry-After. */
  refused: number;
  /** Broken connections. Only a killed server may break a connection. */
  broken: number;
  /** Any other response. The list must stay empty. */
  wrong: string[];
  /** The longest wait for a response, in ms. */
  slowestMs: number;
  /** Time of the last successful response, by `performance.now()`. */
  lastSuccess: number;
}

export const newLedger = (): Ledger => ({
  accepted: new Map(),
  sessions: new Set(),
  refused: 0,
  broken: 0,
  wrong: [],
  slowestMs: 0,
  lastSuccess: 0,
});

export interface Clients {
  /** Lets each client finish its request. */
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
  /** The ledger entries of an accepted order: events by row, or a session. */
  events: { id: string; args: string }[];
  session?: string;
}

/** The number of clients, and the maximum rows of their batches. */
export interface Crowd {
  count: number;
  rows: number;
}

const TIMEOUT_MS = 60_000;

/**
 * Starts clients that post sessions, events, batches, hooks and telemetry exports without end, and sometimes
 * repeat a request.
 */
export function startClients({ url, key }: Target, { count, rows }: Crowd, ledger: Ledger): Clients {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const state = { running: true };
  const work = Array.from({ length: count }, async () => {
    let order = newOrder(rows);
    while (state.running) {
      const done = await place(agent, url, key, order, ledger);
      if (!done) await sleep(20 + Math.random() * 80);
      // A refused client usually repeats the same request. A successful client repeats now and then.
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

/** Sends an order and records the outcome. Resolves to true when every item was accepted. */
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

/**
 * True when a response reports no rejected item. A complete OTLP response is empty, and a transcript's response
 * has empty lists.
 */
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
