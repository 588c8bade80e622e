import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Unavailable } from "../../db/unavailable.ts";
import { AppError, unavailable } from "../errors.ts";
import type { Runtime } from "../http.ts";
import { captureEvent, captureEvents, captureSession, type Endpoint } from "./capture/endpoints.ts";
import { type IngestOptions, ingestion } from "./ingestion.ts";
import { receive } from "./request/receive.ts";
import { answer, answerError } from "./request/response.ts";
import { retryAfter } from "./request/retry-after.ts";

const ROOT = "/api/v1/";
const ENDPOINTS = new Map<string, Endpoint>([
  ["capture-session", captureSession],
  ["capture-event", captureEvent],
  ["capture-events", captureEvents],
]);
/** How long the rest of a body that was not read may keep its connection, ms. */
const LINGER_MS = 5_000;

/** Answers what lies under /api/v1/ and tells whether it did. It stands before koa, which would add half to its cost. */
export type IngestDoor = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The ingestion API: three POST endpoints for holders of an ingest key (docs/ingest.md). */
export function ingestDoor(runtime: Runtime, options: Partial<IngestOptions> = {}): IngestDoor {
  const parts = ingestion(runtime, options);
  const backoff = retryAfter();

  const handle = async (request: IncomingMessage, response: ServerResponse, name: string) => {
    const endpoint = route(name, request.method);
    if (runtime.stopping.aborted) throw unavailable("The server is stopping; try again");
    const { status, body, headers } = await receive(parts, endpoint, request);
    backoff.succeeded();
    answer(response, status, body, headers);
  };

  const refuse = (request: IncomingMessage, response: ServerResponse, error: unknown, requestId: string) => {
    const known = error instanceof Unavailable ? unavailable(error.message) : error;
    if (known instanceof AppError) {
      if (known.kind === "unavailable") {
        backoff.log(() => runtime.log.warn({ err: error }, "ingestion is refusing requests"));
        answerError(response, unavailable(known.message, backoff.seconds()), requestId);
      } else answerError(response, known, requestId);
    } else {
      runtime.log.error({ err: error, requestId }, "ingestion failed");
      answer(response, 500, { error: "Something went wrong", code: "internal_error", request_id: requestId });
    }
    discardRest(request);
  };

  return (request, response) => {
    const path = request.url?.split("?", 1)[0] ?? "";
    if (!path.startsWith(ROOT)) return false;
    const requestId = randomUUID();
    response.setHeader("X-Request-Id", requestId);
    handle(request, response, path.slice(ROOT.length)).catch((error) => refuse(request, response, error, requestId));
    return true;
  };
}

/** @throws AppError 404 or 405 */
function route(name: string, method: string | undefined): Endpoint {
  const endpoint = ENDPOINTS.get(name);
  if (!endpoint) throw new AppError("not_found", "No such endpoint under /api/v1/", { tag: "not_found" });
  if (method === "POST") return endpoint;
  throw new AppError("method", "Only POST is allowed here", { tag: "method_not_allowed", headers: { Allow: "POST" } });
}

/** Lets a caller that is still sending read its answer, but not for long. */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.once("close", () => clearTimeout(timer));
}
