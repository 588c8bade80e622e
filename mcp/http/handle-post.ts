import type { IncomingHttpHeaders } from "node:http";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { type Credentials, openSession } from "../client-context.ts";
import type { Config } from "../config.ts";
import { CODES } from "../protocol/error-response.ts";
import { headerFault } from "../protocol/http-headers.ts";
import { dualEra } from "../protocol/versioned-transport.ts";
import { claimedVersion } from "../protocol/versions.ts";
import { createServer } from "../server.ts";
import { oneShot } from "./one-shot.ts";
import { Refusal } from "./response.ts";
import { isRefused } from "./verify-key.ts";

/** A batch of the 2025-03-26 revision may hold so many messages. */
const MOST_MESSAGES = 50;

interface Exchange {
  config: Config;
  credentials: Credentials;
  headers: IncomingHttpHeaders;
  body: unknown;
  signal: AbortSignal;
}

/** The messages one POST is answered with, and under which status. Server and transport live as long as it does. */
export async function exchange(it: Exchange): Promise<{ status: number; messages: JSONRPCMessage[] }> {
  const received = messagesOf(it.body);
  const fault = received.length === 1 && received[0] ? headerFault(it.headers, received[0]) : undefined;
  if (fault) return { status: 400, messages: [fault] };
  let refused = received.some(introduces) && (await isRefused(it.config.url, it.credentials.apiKey, it.signal));
  if (refused) return { status: 401, messages: [] };
  const session = openSession(it.config, { ...it.credentials, refused: () => (refused = true) });
  const transport = oneShot();
  const server = createServer(session);
  await server.connect(dualEra(transport));
  it.signal.addEventListener("abort", () => void server.close(), { once: true });
  const messages = await transport.deliver(received);
  return { status: refused ? 401 : statusOf(received, messages), messages };
}

const isModern = (message: JSONRPCMessage) => "method" in message && claimedVersion(message) !== undefined;

const introduces = (message: JSONRPCMessage) =>
  "method" in message && (message.method === "initialize" || message.method === "server/discover");

/** Only 2026-07-28 has a status of its own for a method that does not exist. */
function statusOf([request]: JSONRPCMessage[], [answer]: JSONRPCMessage[]): number {
  return request && isModern(request) && answer && "error" in answer && answer.error.code === CODES.methodNotFound
    ? 404
    : 200;
}

function messagesOf(body: unknown): JSONRPCMessage[] {
  const parts = Array.isArray(body) ? body : [body];
  if (parts.length === 0 || parts.length > MOST_MESSAGES) {
    throw new Refusal(400, `A batch holds 1 to ${MOST_MESSAGES} messages.`);
  }
  const messages = parts.map((part) => {
    const parsed = JSONRPCMessageSchema.safeParse(part);
    if (!parsed.success) throw new Refusal(400, "Invalid request: not a JSON-RPC 2.0 message.");
    return parsed.data;
  });
  if (Array.isArray(body) && messages.some(isModern)) throw new Refusal(400, "2026-07-28 has no batches.");
  return messages;
}
