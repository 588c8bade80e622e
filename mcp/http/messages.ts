import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { claimedVersion, VERSION_2026 } from "../protocol/versions.ts";
import { HttpError } from "./response.ts";

/** The most messages of a batch, which only 2025-03-26 and before have. */
const MAX_BATCH = 50;

/**
 * The messages of a body.
 * @throws HttpError 400 for what is no JSON-RPC, and for batches that are too long or not in that version.
 */
export function parseMessages(body: unknown): JSONRPCMessage[] {
  const parts = Array.isArray(body) ? body : [body];
  if (parts.length === 0 || parts.length > MAX_BATCH) {
    throw new HttpError(400, `A batch holds 1 to ${MAX_BATCH} messages.`);
  }
  const messages = parts.map(parseMessage);
  if (Array.isArray(body) && messages.some((message) => "method" in message && claimedVersion(message) !== undefined)) {
    throw new HttpError(400, `${VERSION_2026} has no batches.`);
  }
  return messages;
}

function parseMessage(part: unknown): JSONRPCMessage {
  const parsed = JSONRPCMessageSchema.safeParse(part);
  if (!parsed.success) throw new HttpError(400, "Invalid request: not a JSON-RPC 2.0 message.");
  return parsed.data;
}
