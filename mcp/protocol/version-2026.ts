import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { INSTRUCTIONS } from "../instructions.ts";
import { SERVER_INFO } from "../package-info.ts";
import { CAPABILITIES } from "../server.ts";
import { CODES, failure } from "./error-response.ts";
import { META, MODERN } from "./versions.ts";

const REMOVED = new Set(["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]);
const DISCOVERED = { supportedVersions: [MODERN], capabilities: CAPABILITIES, instructions: INSTRUCTIONS };

/** How long a client may keep what depends on the installed version alone, ms. */
const FRESH_MS = 300_000;

/** The caching hints the revision demands. Which tools there are depends on the key and the selection. */
const CACHING: Record<string, { ttlMs: number; cacheScope: "public" | "private" }> = {
  "server/discover": { ttlMs: FRESH_MS, cacheScope: "public" },
  "tools/list": { ttlMs: FRESH_MS, cacheScope: "private" },
  "prompts/list": { ttlMs: FRESH_MS, cacheScope: "public" },
  "resources/templates/list": { ttlMs: FRESH_MS, cacheScope: "public" },
  "resources/list": { ttlMs: 0, cacheScope: "private" },
  "resources/read": { ttlMs: 0, cacheScope: "private" },
};

/** The whole answer to what only 2026-07-28 has, or has no more; nothing for all other requests. */
export function answerModern({ id, method, params }: JSONRPCRequest): JSONRPCMessage[] | undefined {
  if (REMOVED.has(method))
    return [failure(id, CODES.methodNotFound, `Method not found: ${method} is not in ${MODERN}`)];
  if (method === "server/discover") return [completed({ jsonrpc: "2.0", id, result: DISCOVERED }, method)];
  if (method !== "subscriptions/listen") return undefined;
  if (typeof params?.["notifications"] !== "object" || params["notifications"] === null) {
    return [failure(id, CODES.invalidParams, "Invalid params: notifications: required, an object")];
  }
  // Nothing here changes by itself: the subscription is acknowledged with nothing in it, and closed.
  const _meta = { [META.subscription]: id };
  return [
    { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta, notifications: {} } },
    completed({ jsonrpc: "2.0", id, result: { _meta } }, method),
  ];
}

/** A response with what the revision adds to every result; of errors, only the missing resource has another code. */
export function completed(message: JSONRPCMessage, method: string): JSONRPCMessage {
  if ("error" in message && message.error.code === -32002) {
    return { ...message, error: { ...message.error, code: CODES.invalidParams } };
  }
  if (!("result" in message)) return message;
  const { _meta, ...rest } = message.result;
  const result = {
    resultType: "complete",
    ...rest,
    ...CACHING[method],
    _meta: { ..._meta, [META.server]: SERVER_INFO },
  };
  return { ...message, result };
}
