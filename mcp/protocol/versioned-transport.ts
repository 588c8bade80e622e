import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import { envelopeFault } from "./request-meta.ts";
import { answerModern, completed } from "./version-2026.ts";
import { claimedVersion } from "./versions.ts";

/** A transport that also knows when nothing is under way. */
export interface DualEraTransport extends Transport {
  /** Resolves once every request so far is answered or cancelled. */
  idle(): Promise<void>;
}

/**
 * Lets the SDK's server, which speaks up to 2025-11-25, serve 2026-07-28 on the same channel: what only that revision
 * has is answered here; the rest goes through, and its results get that revision's members.
 */
export function dualEra(inner: Transport): DualEraTransport {
  /** Methods of the requests under way, by id; undefined for those of the older revisions. */
  const open = new Map<RequestId, string | undefined>();
  const waiting: (() => void)[] = [];
  const close = (id: RequestId | undefined) => {
    if (id !== undefined) open.delete(id);
    if (open.size === 0) for (const resolve of waiting.splice(0)) resolve();
  };
  const outer: DualEraTransport = {
    async start() {
      inner.onmessage = (message, extra) => {
        if ("method" in message && message.method === "notifications/cancelled") close(cancelled(message));
        const answers = isRequest(message) ? answerHere(message, open) : undefined;
        if (answers) sendAll(inner, answers);
        else outer.onmessage?.(message, extra);
      };
      inner.onclose = () => outer.onclose?.();
      inner.onerror = (error) => outer.onerror?.(error);
      await inner.start();
    },
    async send(message, options) {
      const id = "id" in message ? message.id : undefined;
      const method = id === undefined ? undefined : open.get(id);
      await inner.send(method === undefined ? message : completed(message, method), options);
      if ("id" in message && !("method" in message)) close(id);
    },
    close: () => inner.close(),
    idle: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
  return outer;
}

/** The answers to a request that need no server behind; else it is under way. */
function answerHere(request: JSONRPCRequest, open: Map<RequestId, string | undefined>): JSONRPCMessage[] | undefined {
  const version = claimedVersion(request);
  if (version !== undefined) {
    const fault = envelopeFault(request, version);
    const answers = fault ? [fault] : answerModern(request);
    if (answers) return answers;
  }
  open.set(request.id, version === undefined ? undefined : request.method);
  return undefined;
}

async function sendAll(transport: Transport, messages: JSONRPCMessage[]): Promise<void> {
  for (const message of messages) await transport.send(message);
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => "method" in message && "id" in message;

const cancelled = (message: JSONRPCMessage) =>
  "params" in message ? (message.params?.["requestId"] as RequestId | undefined) : undefined;
