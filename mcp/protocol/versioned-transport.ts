import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { readOwn } from "../../formats/own.ts";
import { HANDLERS } from "../handlers/index.ts";
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from "../server.ts";
import { claimedVersion, ERROR_CODES, errorResponse, META, requestMetaError, VERSION_2026 } from "./versions.ts";

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
function answer2026({ id, method, params }: JSONRPCRequest): JSONRPCMessage[] | undefined {
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
function complete2026(message: JSONRPCMessage, method: string): JSONRPCMessage {
  if ("error" in message && message.error.code === -32002) {
    return { ...message, error: { ...message.error, code: ERROR_CODES.invalidParams } };
  }
  if (!("result" in message)) return message;
  const { _meta, ...rest } = message.result;
  const result = {
    resultType: "complete",
    ...rest,
    ...readOwn(CACHING, method),
    _meta: { ..._meta, [META.server]: SERVER_INFO },
  };
  return { ...message, result };
}

/** A transport that also knows when no request is under way. */
interface VersionedTransport extends Transport {
  /** Resolves once every request so far is answered or cancelled. */
  idle(): Promise<void>;
}

/**
 * Wraps one of the SDK's transports so that its server, which speaks up to 2025-11-25, serves 2026-07-28 on the same
 * channel: what only that version has is answered here; the rest goes through, and its results get the members that
 * version adds.
 */
export function versionedTransport(inner: Transport): VersionedTransport {
  const open = openRequests();
  const outer: VersionedTransport = {
    async start() {
      inner.onmessage = (message, extra) => {
        const cancelled = cancelledId(message);
        if (cancelled !== undefined) open.remove(cancelled);
        const answers = isRequest(message) ? ownAnswers(message) : undefined;
        if (isRequest(message) && !answers) open.add(message);
        if (answers) sendAll(inner, answers, message).catch((error: Error) => outer.onerror?.(error));
        else outer.onmessage?.(message, extra);
      };
      inner.onclose = () => outer.onclose?.();
      inner.onerror = (error) => outer.onerror?.(error);
      await inner.start();
    },
    async send(message, options) {
      const isResponse = "id" in message && !("method" in message);
      const method = isResponse && message.id !== undefined ? open.method2026(message.id) : undefined;
      await inner.send(method === undefined ? message : complete2026(message, method), options);
      if (isResponse && message.id !== undefined) open.remove(message.id);
    },
    close: () => inner.close(),
    idle: open.idle,
  };
  return outer;
}

/** The requests under way, each with its method when it claims 2026-07-28. */
function openRequests() {
  const methods = new Map<RequestId, string | undefined>();
  const waiting: (() => void)[] = [];
  return {
    add: (request: JSONRPCRequest) =>
      methods.set(request.id, claimedVersion(request) === undefined ? undefined : request.method),
    method2026: (id: RequestId) => methods.get(id),
    remove(id: RequestId) {
      methods.delete(id);
      if (methods.size === 0) for (const resolve of waiting.splice(0)) resolve();
    },
    idle: () => (methods.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
  };
}

/** The answers to a request that the SDK's server need not, or must not, see. */
function ownAnswers(request: JSONRPCRequest): JSONRPCMessage[] | undefined {
  const version = claimedVersion(request);
  if (version === undefined) return undefined;
  const error = requestMetaError(request, version);
  return error ? [error] : answer2026(request);
}

/** The request's id tells a transport over HTTP on which response a notification belongs. */
async function sendAll(transport: Transport, answers: JSONRPCMessage[], request: JSONRPCMessage): Promise<void> {
  const relatedRequestId = "id" in request ? request.id : undefined;
  for (const answer of answers)
    await transport.send(answer, relatedRequestId === undefined ? {} : { relatedRequestId });
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => "method" in message && "id" in message;

const cancelledId = (message: JSONRPCMessage) =>
  "method" in message && message.method === "notifications/cancelled"
    ? (message.params?.["requestId"] as RequestId | undefined)
    : undefined;
