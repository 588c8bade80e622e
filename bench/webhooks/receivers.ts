import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";

export type Behaviour = "accept" | "fail" | "drop" | "stall" | "drip" | "flood";

/** A receiver that misbehaves, and its observations. */
export interface Receiver {
  url: string;
  secret: string;
  /** The ids of the deliveries that brought each accepted change. */
  accepted: Map<number, Set<string>>;
  /** Milliseconds from the time of a change to its acceptance. */
  delays: number[];
  requests: number;
  /** Currently open exchanges. */
  open: number;
  /** Longest exchange in ms, and maximum bytes of a response that the server read. */
  longest: number;
  mostSent: number;
  badSignatures: number;
  close(): void;
}

const FLOOD_BYTES = 300 * 1024 * 1024;

/** Starts a receiver on loopback. `choose` picks the behavior for each delivery. */
export async function startTortureReceiver(secret: string, choose: () => Behaviour): Promise<Receiver> {
  const state = {
    url: "",
    secret,
    accepted: new Map(),
    delays: [],
    requests: 0,
    open: 0,
    longest: 0,
    mostSent: 0,
    badSignatures: 0,
    close() {},
  } as Receiver;
  const verifier = new Webhook(secret);
  const server = createServer(async (request, response) => {
    state.requests += 1;
    state.open += 1;
    const begun = performance.now();
    response.once("close", () => {
      state.open -= 1;
      state.longest = Math.max(state.longest, performance.now() - begun);
      state.mostSent = Math.max(state.mostSent, response.socket?.bytesWritten ?? 0);
    });
    try {
      take(state, verifier, choose(), request, response, await bodyOf(request));
    } catch {
      response.destroy(); // The server was killed while sending.
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  state.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return state;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const ACCEPTS: ReadonlySet<Behaviour> = new Set(["accept", "flood"]);

function take(
  state: Receiver,
  verifier: Webhook,
  behaviour: Behaviour,
  ...[request, response, raw]: [IncomingMessage, ServerResponse, string]
): void {
  try {
    verifier.verify(raw, request.headers as Record<string, string>);
  } catch {
    state.badSignatures += 1;
  }
  if (ACCEPTS.has(behaviour)) {
    const { lastSyncId, createdAt } = JSON.parse(raw);
    const id = String(request.headers["tracker-delivery"]);
    if (!state.accepted.has(lastSyncId)) state.delays.push(Date.now() - Date.parse(createdAt));
    state.accepted.set(lastSyncId, (state.accepted.get(lastSyncId) ?? new Set()).add(id));
  }
  answer(behaviour, response);
}

function answer(behaviour: Behaviour, response: ServerResponse): void {
  if (behaviour === "accept") response.end("thank you");
  if (behaviour === "fail") response.writeHead(500).end("no");
  if (behaviour === "drop") response.destroy();
  if (behaviour === "drip") {
    const timer = setInterval(() => response.write("."), 500);
    response.once("close", () => clearInterval(timer));
  }
  if (behaviour === "flood") flood(response);
}

function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, "x");
  let left = FLOOD_BYTES;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}
