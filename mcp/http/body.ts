import type { IncomingMessage } from "node:http";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { excessOf } from "../../formats/json.ts";
import { claimedVersion, VERSION_2026 } from "../protocol/versions.ts";
import { HttpError } from "./response.ts";

/** As much as POST /graphql takes. */
const MAX_BYTES = 4 * 1024 * 1024;
/** More than a turn of 500 tool calls needs; parsing what is within it takes a few milliseconds. */
const EXTENT = { levels: 64, values: 65_536 };
const EXCESS = {
  levels: `The body nests deeper than ${EXTENT.levels} levels; flatten it.`,
  values: `The body holds more than ${EXTENT.values} values; send it in several calls.`,
};

/**
 * The JSON body of a request.
 * @throws HttpError 415, 413 or 400.
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
  const excess = excessOf(json, EXTENT);
  if (excess) throw new HttpError(400, EXCESS[excess.bound]);
  try {
    return JSON.parse(json.toString("utf8"));
  } catch {
    throw new HttpError(400, "Parse error: the body is not JSON.", {}, -32700);
  }
}

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
