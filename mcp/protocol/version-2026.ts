import type { JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { HANDLERS } from "../handlers/index.ts";
import { CAPABILITIES } from "../server.ts";
import { INSTRUCTIONS, SERVER_INFO } from "../server-info.ts";
import { ERROR_CODES, errorResponse } from "./error-response.ts";
import { META, VERSION_2026 } from "./versions.ts";

/** The method of this version that is answered with a stream of messages. */
export const SUBSCRIBE = "subscriptions/listen";

const METHODS = new Set(["server/discover", SUBSCRIBE, ...HANDLERS.map(({ method }) => method)]);
const DISCOVERED = { supportedVersions: [VERSION_2026], capabilities: CAPABILITIES, instructions: INSTRUCTIONS };

/** The time, in ms, that a client may cache what depends on the installed version alone. */
const FRESH_MS = 300_000;

/** The caching hints this version demands. Which tools there are depends on the key and the selection. */
const CACHING: Record<string, { ttlMs: number; cacheScope: "public" | "private" }> = {
  "server/discover": { ttlMs: FRESH_MS, cacheScope: "public" },
  "tools/list": { ttlMs: FRESH_MS, cacheScope: "private" },
  "prompts/list": { ttlMs: FRESH_MS, cacheScope: "public" },
  "resources/templates/list": { ttlMs: FRESH_MS, cacheScope: "public" },
  "resources/list": { ttlMs: 0, cacheScope: "private" },
  "resources/read": { ttlMs: 0, cacheScope: "private" },
};

/** True if 2026-07-28 has the method; it gave up the handshake, ping, logging and resource subscriptions. */
export const isMethod2026 = (method: string) => METHODS.has(method);

/** The whole answer to what the SDK's server does not know, or knows and this version gave up; else undefined. */
export function answer2026({ id, method, params }: JSONRPCRequest): JSONRPCMessage[] | undefined {
  if (!isMethod2026(method)) {
    return [errorResponse(id, ERROR_CODES.methodNotFound, `Method not found: ${method} is not in ${VERSION_2026}`)];
  }
  if (method === "server/discover") return [complete2026({ jsonrpc: "2.0", id, result: DISCOVERED }, method)];
  if (method !== SUBSCRIBE) return undefined;
  if (typeof params?.["notifications"] !== "object" || params["notifications"] === null) {
    return [errorResponse(id, ERROR_CODES.invalidParams, "Invalid params: notifications: required, an object")];
  }
  // Nothing here changes by itself: the subscription is acknowledged with nothing in it, and closed.
  const _meta = { [META.subscription]: id };
  return [
    { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta, notifications: {} } },
    complete2026({ jsonrpc: "2.0", id, result: { _meta } }, method),
  ];
}

/** A response with what this version adds to every result; of errors, only the missing resource has another code. */
export function complete2026(message: JSONRPCMessage, method: string): JSONRPCMessage {
  if ("error" in message && message.error.code === -32002) {
    return { ...message, error: { ...message.error, code: ERROR_CODES.invalidParams } };
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
