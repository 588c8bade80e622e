import type { IncomingMessage } from "node:http";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { findExceededJsonLimit } from "../../formats/json.ts";
import { isRequest, MAX_BATCH, readCancelledId, readClaimedVersion, VERSION_2026 } from "../protocol/versions.ts";
import { HttpError } from "./response.ts";

/** Maximum size of a body in bytes. POST /graphql has the same limit. */
const MAX_BYTES = 4 * 1024 * 1024;
/**
 * Maximum nesting depth and maximum number of values of a body. A turn with 500 tool calls is below both limits.
 * Parsing a body at these limits takes a few ms.
 */
const EXTENT = { levels: 64, values: 65_536 };
const EXCESS = {
  levels: `The body nests deeper than ${EXTENT.levels} levels; flatten it.`,
  values: `The body holds more than ${EXTENT.values} values; send it in several calls.`,
};

/**
 * Reads and parses the JSON body of a request.
 * @throws HttpError 415 if the content type is not JSON, 413 if the body is too large, 400 if the body is not JSON or
 * exceeds `EXTENT`
 */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    throw new HttpError(415, "Send JSON, with Content-Type: application/json.");
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new HttpError(413, "The body is over 4 MiB.", { connection: "close" });
    chunks.push(chunk);
  }
  const json = Buffer.concat(chunks);
  const excess = findExceededJsonLimit(json, EXTENT);
  if (excess) throw new HttpError(400, EXCESS[excess.bound]);
  try {
    return JSON.parse(json.toString("utf8"));
  } catch {
    throw new HttpError(400, "Parse error: the body is not JSON.", {}, -32700);
  }
}

/**
 * Returns the messages of a body. Leaves out requests that a later message of the same batch cancels, because a
 * cancelled request gets no response.
 * @throws HttpError 400 for text that is not JSON-RPC, and for a batch that is too long, not allowed in the protocol
 * version, or contains one id twice
 */
export function parseMessages(body: unknown): JSONRPCMessage[] {
  const parts = Array.isArray(body) ? body : [body];
  if (parts.length === 0 || parts.length > MAX_BATCH) {
    throw new HttpError(400, `A batch holds 1 to ${MAX_BATCH} messages.`);
  }
  const messages = parts.map(parseMessage);
  if (
    Array.isArray(body) &&
    messages.some((message) => "method" in message && readClaimedVersion(message) !== undefined)
  ) {
    throw new HttpError(400, `${VERSION_2026} has no batches.`);
  }
  const ids = messages.filter(isRequest).map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new HttpError(400, `The id ${JSON.stringify(twice)} is used twice in the batch.`);
  const isCancelled = (message: JSONRPCMessage, at: number) =>
    isRequest(message) && messages.slice(at).some((later) => readCancelledId(later) === message.id);
  return messages.filter((message, at) => !isCancelled(message, at));
}

function parseMessage(part: unknown): JSONRPCMessage {
  const parsed = JSONRPCMessageSchema.safeParse(part);
  if (!parsed.success) throw new HttpError(400, "Invalid request: not a JSON-RPC 2.0 message.");
  return parsed.data;
}
