import type { IncomingMessage, ServerResponse } from "node:http";
import type Koa from "koa";
import { AppError, unavailable } from "../errors.ts";
import { assignRequestId } from "../id.ts";
import { captureEvent, captureEvents, captureSession, type IngestEndpoint } from "./capture/endpoints.ts";
import { hookEndpoints } from "./hooks/index.ts";
import type { IngestHandler, Ingestion } from "./ingestion.ts";
import { findOtlpHandler, otlpPaths } from "./otlp/handler.ts";
import { CAPTURE_KEY_LOCATION, TELEMETRY_KEY_LOCATION } from "./request/keys.ts";
import { receiveCapture } from "./request/receive.ts";
import { createCallerErrorMapper } from "./request/refusal.ts";
import { methodNotAllowedError, sendError, sendJson } from "./request/response.ts";
import { sdkHandler, sdkPaths } from "./sdk/index.ts";
import { transcriptEndpoints } from "./transcripts/index.ts";

const ROOT = "/api/v1/";
/** Matches the paths that agents use. Agents send their key in the same headers as OTLP exporters. */
const AGENTS = /^(?:hooks|transcripts)\//;
const ENDPOINTS = new Map<string, IngestEndpoint>([
  ["capture-session", captureSession],
  ["capture-event", captureEvent],
  ["capture-events", captureEvents],
  ...hookEndpoints,
  ...transcriptEndpoints,
]);
const HANDLERS = new Map([...ENDPOINTS].map(([name, endpoint]) => [name, captureHandler(name, endpoint)]));
const NO_HANDLER = captureHandler("", undefined);
/** Paths of the ingestion API: events, sessions and telemetry. */
export const ingestPaths: readonly string[] = [
  ...[...ENDPOINTS.keys()].map((name) => ROOT + name),
  ...otlpPaths,
  ...sdkPaths,
];
/** Maximum time in ms for which the server keeps a connection open to receive the unread rest of a body. */
const LINGER_MS = 5_000;

/**
 * Ingestion API for holders of an ingest key (docs/ingest.md, docs/opentelemetry.md). Handles its paths directly and
 * skips the middleware that other requests need, so that an event costs as little as possible.
 */
export function ingestMiddleware(parts: Ingestion): Koa.Middleware {
  const refused = createCallerErrorMapper(parts.runtime);
  return (ctx, next) => {
    const { req, res } = ctx;
    const handler = findHandler(req.url?.split("?", 1)[0] ?? "");
    if (!handler) return next();
    ctx.respond = false;
    const requestId = assignRequestId(res);
    res.setHeader("X-Request-Id", requestId);
    serve(parts, handler, req, res).then(refused.succeeded, (error) => {
      handler.refuse(req, res, refused.of(error, requestId), requestId);
      discardRest(req);
    });
    return undefined;
  };
}

/**
 * Finds the handler of a path. The endpoint of an OTLP exporter may end with a slash, so a telemetry path may contain a
 * slash too many.
 */
function findHandler(path: string): IngestHandler | undefined {
  const handler = handlerAt(path);
  if (handler) return handler;
  const plain = path.replace(/\/{2,}/g, "/").replace(/\/$/, "");
  return plain === path ? handler : (handlerAt(plain) ?? handler);
}

const handlerAt = (path: string): IngestHandler | undefined =>
  path.startsWith(ROOT)
    ? (HANDLERS.get(path.slice(ROOT.length)) ?? NO_HANDLER)
    : (findOtlpHandler(path) ?? sdkHandler(path));

const serve = async (parts: Ingestion, handler: IngestHandler, request: IncomingMessage, response: ServerResponse) => {
  if (parts.runtime.stopping.aborted) throw unavailable("The server is stopping; try again");
  return handler.serve(parts, request, response);
};

/** Creates the handler of a path. A handler without an endpoint responds with 404, because the path is unknown. */
function captureHandler(name: string, endpoint: IngestEndpoint | undefined): IngestHandler {
  const place = AGENTS.test(name) ? TELEMETRY_KEY_LOCATION : CAPTURE_KEY_LOCATION;
  return {
    async serve(parts, request, response) {
      const { status, body, headers } = await receiveCapture(parts, route(endpoint, request.method), request, place);
      sendJson(response, status, body, headers);
    },
    refuse: (_, response, error, requestId) => sendError(response, error, requestId),
  };
}

/** @throws AppError 404 or 405 */
function route(endpoint: IngestEndpoint | undefined, method: string | undefined): IngestEndpoint {
  if (!endpoint) throw new AppError("not_found", "No such endpoint under /api/v1/", { tag: "not_found" });
  if (method === "POST") return endpoint;
  throw methodNotAllowedError("POST");
}

/**
 * Receives and discards the rest of a request body after an error response, so that a caller that is still sending can
 * read the response. Closes the connection after a limited time.
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.once("close", () => clearTimeout(timer));
}
