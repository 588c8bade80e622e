import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { requestMetaError } from "./request-meta.ts";
import { answer2026, complete2026 } from "./version-2026.ts";
import { claimedVersion } from "./versions.ts";

/** A transport that also knows when no request is under way. */
export interface VersionedTransport extends Transport {
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
