import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { getOwnProperty } from "../../formats/own.ts";
import { HANDLERS } from "../handlers/index.ts";
import { CAPABILITIES, INSTRUCTIONS, SERVER_INFO } from "../server.ts";
import {
  createErrorResponse,
  ERROR_CODES,
  findMetaError,
  isRequest,
  META_KEYS,
  readCancelledId,
  readClaimedVersion,
  VERSION_2026,
} from "./versions.ts";

/** Method whose response is a stream of messages. Part of the protocol version 2026-07-28. */
export const SUBSCRIBE_METHOD = "subscriptions/listen";

const METHODS = new Set(["server/discover", SUBSCRIBE_METHOD, ...HANDLERS.map(({ method }) => method)]);
const DISCOVERED = { supportedVersions: [VERSION_2026], capabilities: CAPABILITIES, instructions: INSTRUCTIONS };

/** Time in ms for which clients may cache results that depend only on the installed release. */
const FRESH_MS = 300_000;

/**
 * Caching hints that 2026-07-28 requires. The list of tools is private, because the list depends on the key
 * and the selection.
 */
const CACHING: Record<string, { ttlMs: number; cacheScope: "public" | "private" }> = {
  "server/discover": { ttlMs: FRESH_MS, cacheScope: "public" },
  "tools/list": { ttlMs: FRESH_MS, cacheScope: "private" },
  "prompts/list": { ttlMs: FRESH_MS, cacheScope: "public" },
  "resources/templates/list": { ttlMs: FRESH_MS, cacheScope: "public" },
  "resources/list": { ttlMs: 0, cacheScope: "private" },
  "resources/read": { ttlMs: 0, cacheScope: "private" },
};

/**
 * Tells whether protocol version 2026-07-28 has the method. Version 2026-07-28 has no handshake, ping, logging or
 * resource subscriptions.
 */
export const isMethod2026 = (method: string) => METHODS.has(method);

/**
 * Returns all messages of the response if the SDK's server must not handle the request. The SDK's server must not
 * handle a method that the SDK's server does not know, or that 2026-07-28 removed. Otherwise returns undefined.
 */
function answer2026({ id, method, params }: JSONRPCRequest): JSONRPCMessage[] | undefined {
  if (!isMethod2026(method)) {
    return [
      createErrorResponse(id, ERROR_CODES.methodNotFound, `Method not found: ${method} is not in ${VERSION_2026}`),
    ];
  }
  if (method === "server/discover") return [complete2026({ jsonrpc: "2.0", id, result: DISCOVERED }, method)];
  if (method !== SUBSCRIBE_METHOD) return undefined;
  if (typeof params?.["notifications"] !== "object" || params["notifications"] === null) {
    return [
      createErrorResponse(
        id,
        ERROR_CODES.invalidParams,
        "Invalid params: notifications is required and must be an object",
      ),
    ];
  }
  // Acknowledges an empty subscription and closes the subscription, because this server sends no notifications of
  // changes.
  const _meta = { [META_KEYS.subscription]: id };
  return [
    { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { _meta, notifications: {} } },
    complete2026({ jsonrpc: "2.0", id, result: { _meta } }, method),
  ];
}

/**
 * Completes a response for protocol version 2026-07-28. Adds the members that the version requires in every result. For
 * a missing resource, the version uses the error code -32602 instead of -32002; all other error codes are equal.
 */
function complete2026(message: JSONRPCMessage, method: string): JSONRPCMessage {
  if ("error" in message && message.error.code === -32002) {
    return { ...message, error: { ...message.error, code: ERROR_CODES.invalidParams } };
  }
  if (!("result" in message)) return message;
  const { _meta, ...rest } = message.result;
  const result = {
    resultType: "complete",
    ...rest,
    ...getOwnProperty(CACHING, method),
    _meta: { ..._meta, [META_KEYS.server]: SERVER_INFO },
  };
  return { ...message, result };
}

/** Time limit of a request in ms. Clients of the SDK stop waiting after 60 s. */
const CALL_MS = 55_000;

/** Transport that reports when no request is in flight. */
interface VersionedTransport extends Transport {
  /** Resolves when every request that was received has a response or was cancelled. */
  idle(): Promise<void>;
}

/**
 * Wraps an SDK transport so that the SDK's server, which supports versions up to 2025-11-25, also serves 2026-07-28.
 * The wrapper responds to methods that only 2026-07-28 has, passes other requests to the server, and adds the members
 * that 2026-07-28 requires to the server's results. Each request gets one response within `callMs`; a cancelled request
 * gets no response.
 */
export function createVersionedTransport(inner: Transport, callMs = CALL_MS): VersionedTransport {
  const open = openRequests(callMs, (id) => {
    const reason = `no result within ${callMs / 1000} s`;
    outer.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } });
    return send(createErrorResponse(id, ERROR_CODES.timeout, `${reason}; ask for less, or repeat the call later`));
  });
  const send: Transport["send"] = (message, options) => open.sending(inner.send(message, options));
  const report = (error: Error) => outer.onerror?.(error);
  const outer: VersionedTransport = {
    async start() {
      inner.onmessage = (message, extra) => {
        const cancelled = readCancelledId(message);
        if (cancelled !== undefined) open.take(cancelled);
        const answers = isRequest(message) ? ownAnswers(message) : undefined;
        if (answers) {
          open.sending(sendAll(inner, answers, message)).catch(report);
          return;
        }
        // The client reused the id of a request that has no response yet. The client could not tell two responses with
        // the same id apart, so the second request is ignored.
        if (isRequest(message) && !open.add(message)) report(new Error(`id ${message.id} is in use; not run again`));
        else outer.onmessage?.(message, extra);
      };
      inner.onclose = () => {
        open.clear();
        outer.onclose?.();
      };
      inner.onerror = report;
      await inner.start();
    },
    async send(message, options) {
      if ("method" in message || message.id === undefined) return send(message, options);
      const request = open.take(message.id);
      // Drops the response: the request was cancelled, or the client already received the error response for the time
      // limit.
      if (!request) return;
      await send(request.method2026 === undefined ? message : complete2026(message, request.method2026), options);
    },
    close: () => inner.close(),
    idle: open.idle,
  };
  return outer;
}

/** Request in flight. */
interface OpenRequest {
  /** Method of the request if the request uses version 2026-07-28; undefined for other versions. */
  method2026: string | undefined;
  timer: NodeJS.Timeout;
}

/**
 * Tracks requests in flight and responses that are being written.
 * @param expire responds to a request that took longer than `callMs`
 */
function openRequests(callMs: number, expire: (id: RequestId) => Promise<void>) {
  const requests = new Map<RequestId, OpenRequest>();
  const waiting: (() => void)[] = [];
  let sent = 0;
  const isIdle = () => requests.size === 0 && sent === 0;
  const tell = () => {
    if (isIdle()) for (const resolve of waiting.splice(0)) resolve();
  };
  const take = (id: RequestId): OpenRequest | undefined => {
    const request = requests.get(id);
    clearTimeout(request?.timer);
    requests.delete(id);
    // Checks for idleness only after this turn of the event loop. By then, the caller has begun to write the response,
    // and `sent` counts the response.
    if (waiting.length > 0) setImmediate(tell);
    return request;
  };
  return {
    /** @returns false if a request with the same id is already in flight */
    add(request: JSONRPCRequest): boolean {
      if (requests.has(request.id)) return false;
      const timer = setTimeout(() => {
        take(request.id);
        expire(request.id).catch(() => {});
      }, callMs);
      const method2026 = readClaimedVersion(request) === undefined ? undefined : request.method;
      requests.set(request.id, { method2026, timer });
      return true;
    },
    take,
    async sending(work: Promise<void>): Promise<void> {
      sent += 1;
      await work.finally(() => {
        sent -= 1;
        tell();
      });
    },
    clear() {
      for (const id of [...requests.keys()]) take(id);
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
  };
}

/**
 * Returns the wrapper's own responses to a request that the SDK's server must not receive. Returns undefined for a
 * request that the SDK's server handles.
 */
function ownAnswers(request: JSONRPCRequest): JSONRPCMessage[] | undefined {
  const version = readClaimedVersion(request);
  if (version === undefined) return undefined;
  const error = findMetaError(request, version);
  return error ? [error] : answer2026(request);
}

/**
 * Sends messages with the request's id, because the HTTP transport needs
 * the id to find the response for a notification.
 */
async function sendAll(transport: Transport, answers: JSONRPCMessage[], request: JSONRPCMessage): Promise<void> {
  const relatedRequestId = "id" in request ? request.id : undefined;
  for (const answer of answers)
    await transport.send(answer, relatedRequestId === undefined ? {} : { relatedRequestId });
}
