import type { IncomingMessage, ServerResponse } from "node:http";
import type Koa from "koa";
import { Unavailable } from "../../db/errors/unavailable.ts";
import { AppError, unavailable } from "../errors.ts";
import { giveRequestId } from "../id.ts";
import type { Runtime } from "../runtime.ts";
import { captureEvent, captureEvents, captureSession, type Endpoint } from "./capture/endpoints.ts";
import { hookEndpoints } from "./hooks/index.ts";
import { type Handler, type Ingestion, type IngestOptions, ingestion } from "./ingestion.ts";
import { otlpHandler, otlpPaths } from "./otlp/handler.ts";
import { CAPTURE_KEY, TELEMETRY_KEY } from "./request/keys.ts";
import { receive } from "./request/receive.ts";
import { answer, answerError } from "./request/response.ts";
import { type RetryAfter, retryAfter } from "./request/retry-after.ts";

const ROOT = "/api/v1/";
const HOOKS = "hooks/";
const ENDPOINTS = new Map<string, Endpoint>([
  ["capture-session", captureSession],
  ["capture-event", captureEvent],
  ["capture-events", captureEvents],
  ...hookEndpoints,
]);
const HANDLERS = new Map([...ENDPOINTS].map(([name, endpoint]) => [name, captureHandler(name, endpoint)]));
const NO_HANDLER = captureHandler("", undefined);
/** The paths of events, sessions and telemetry. */
export const ingestPaths: readonly string[] = [...[...ENDPOINTS.keys()].map((name) => ROOT + name), ...otlpPaths];
/** The longest time that the unread rest of a body may keep its connection, ms. */
const LINGER_MS = 5_000;

/**
 * The ingestion API: endpoints for holders of an ingest key (docs/ingest.md, docs/opentelemetry.md). It takes over what
 * lies under its paths at once and answers by itself: nothing that other requests need is done for an event.
 */
export function ingestMiddleware(runtime: Runtime, options: Partial<IngestOptions> = {}): Koa.Middleware {
  const state = { runtime, parts: ingestion(runtime, options), backoff: retryAfter() };
  return (ctx, next) => {
    const { req, res } = ctx;
    const path = req.url?.split("?", 1)[0] ?? "";
    const handler = path.startsWith(ROOT) ? (HANDLERS.get(path.slice(ROOT.length)) ?? NO_HANDLER) : otlpHandler(path);
    if (!handler) return next();
    ctx.respond = false;
    const requestId = giveRequestId(res);
    res.setHeader("X-Request-Id", requestId);
    serve(state, handler, req, res).then(state.backoff.succeeded, (error) => {
      handler.refuse(req, res, refusalOf(state, error, requestId), requestId);
      discardRest(req);
    });
    return undefined;
  };
}

interface State {
  runtime: Runtime;
  parts: Ingestion;
  backoff: RetryAfter;
}

const serve = async (
  { runtime, parts }: State,
  handler: Handler,
  request: IncomingMessage,
  response: ServerResponse,
) => {
  if (runtime.stopping.aborted) throw unavailable("The server is stopping; try again");
  return handler.serve(parts, request, response);
};

/** The error that a caller sees; undefined for an internal error, which is logged. */
function refusalOf({ runtime, backoff }: State, error: unknown, requestId: string): AppError | undefined {
  const known = error instanceof Unavailable ? unavailable(error.message) : error;
  if (!(known instanceof AppError)) {
    runtime.log.error({ err: error, requestId }, "ingestion failed");
    return undefined;
  }
  if (known.kind !== "unavailable") return known;
  backoff.log(() => runtime.log.warn({ err: error }, "ingestion is refusing requests"));
  return unavailable(known.message, backoff.seconds());
}

/** The handler of a name; one without an endpoint answers unknown names. */
function captureHandler(name: string, endpoint: Endpoint | undefined): Handler {
  const place = name.startsWith(HOOKS) ? TELEMETRY_KEY : CAPTURE_KEY;
  return {
    async serve(parts, request, response) {
      const { status, body, headers } = await receive(parts, route(endpoint, request.method), request, place);
      answer(response, status, body, headers);
    },
    refuse(_, response, error, requestId) {
      if (error) answerError(response, error, requestId);
      else answer(response, 500, { error: "Something went wrong", code: "internal_error", request_id: requestId });
    },
  };
}

/** @throws AppError 404 or 405 */
function route(endpoint: Endpoint | undefined, method: string | undefined): Endpoint {
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
