import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type Koa from "koa";
import { Unavailable } from "../../db/unavailable.ts";
import { AppError, unavailable } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { type Answer, captureEvent, captureEvents, captureSession, type Endpoint } from "./capture/endpoints.ts";
import { hookEndpoints } from "./hooks/index.ts";
import { type Ingestion, type IngestOptions, ingestion } from "./ingestion.ts";
import { receive } from "./request/receive.ts";
import { answer, answerError } from "./request/response.ts";
import { type RetryAfter, retryAfter } from "./request/retry-after.ts";

const ROOT = "/api/v1/";
const ENDPOINTS = new Map<string, Endpoint>([
  ["capture-session", captureSession],
  ["capture-event", captureEvent],
  ["capture-events", captureEvents],
  ...hookEndpoints,
]);
/** Where events and sessions are sent. */
export const ingestPaths: readonly string[] = [...ENDPOINTS.keys()].map((name) => ROOT + name);
/** How long the rest of a body that was not read may keep its connection, ms. */
const LINGER_MS = 5_000;

/**
 * The ingestion API: three POST endpoints for holders of an ingest key (docs/ingest.md). It takes over what lies under
 * its path at once and answers by itself: nothing that other requests need is done for an event.
 */
export function ingestMiddleware(runtime: Runtime, options: Partial<IngestOptions> = {}): Koa.Middleware {
  const state = { runtime, parts: ingestion(runtime, options), backoff: retryAfter() };
  return (ctx, next) => {
    const { req, res } = ctx;
    const path = req.url?.split("?", 1)[0] ?? "";
    if (!path.startsWith(ROOT)) return next();
    ctx.respond = false;
    const requestId = randomUUID();
    res.setHeader("X-Request-Id", requestId);
    handle(state, req, path.slice(ROOT.length)).then(
      ({ status, body, headers }) => answer(res, status, body, headers),
      (error) => {
        refuse(state, res, error, requestId);
        discardRest(req);
      },
    );
    return undefined;
  };
}

interface State {
  runtime: Runtime;
  parts: Ingestion;
  backoff: RetryAfter;
}

async function handle({ runtime, parts, backoff }: State, request: IncomingMessage, name: string): Promise<Answer> {
  const endpoint = route(name, request.method);
  if (runtime.stopping.aborted) throw unavailable("The server is stopping; try again");
  const done = await receive(parts, endpoint, request);
  backoff.succeeded();
  return done;
}

function refuse({ runtime, backoff }: State, response: ServerResponse, error: unknown, requestId: string): void {
  const known = error instanceof Unavailable ? unavailable(error.message) : error;
  if (!(known instanceof AppError)) {
    runtime.log.error({ err: error, requestId }, "ingestion failed");
    answer(response, 500, { error: "Something went wrong", code: "internal_error", request_id: requestId });
  } else if (known.kind === "unavailable") {
    backoff.log(() => runtime.log.warn({ err: error }, "ingestion is refusing requests"));
    answerError(response, unavailable(known.message, backoff.seconds()), requestId);
  } else answerError(response, known, requestId);
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
