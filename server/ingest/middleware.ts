import type { IncomingMessage, ServerResponse } from "node:http";
import type Koa from "koa";
import { AppError, unavailable } from "../errors.ts";
import { giveRequestId } from "../id.ts";
import { captureEvent, captureEvents, captureSession, type Endpoint } from "./capture/endpoints.ts";
import { hookEndpoints } from "./hooks/index.ts";
import type { Handler, Ingestion } from "./ingestion.ts";
import { otlpHandler, otlpPaths } from "./otlp/handler.ts";
import { CAPTURE_KEY, TELEMETRY_KEY } from "./request/keys.ts";
import { receive } from "./request/receive.ts";
import { refusals } from "./request/refusal.ts";
import { answer, answerError, onlyMethod } from "./request/response.ts";
import { sdkHandler, sdkPaths } from "./sdk/index.ts";
import { transcriptEndpoints } from "./transcripts/index.ts";

const ROOT = "/api/v1/";
/** Paths to which agents post, which take their key as OTLP does. */
const AGENTS = /^(?:hooks|transcripts)\//;
const ENDPOINTS = new Map<string, Endpoint>([
  ["capture-session", captureSession],
  ["capture-event", captureEvent],
  ["capture-events", captureEvents],
  ...hookEndpoints,
  ...transcriptEndpoints,
]);
const HANDLERS = new Map([...ENDPOINTS].map(([name, endpoint]) => [name, captureHandler(name, endpoint)]));
const NO_HANDLER = captureHandler("", undefined);
/** The paths of events, sessions and telemetry. */
export const ingestPaths: readonly string[] = [
  ...[...ENDPOINTS.keys()].map((name) => ROOT + name),
  ...otlpPaths,
  ...sdkPaths,
];
/** The longest time that the unread rest of a body may keep its connection, ms. */
const LINGER_MS = 5_000;

/**
 * The ingestion API: endpoints for holders of an ingest key (docs/ingest.md, docs/opentelemetry.md). It takes over what
 * lies under its paths at once and answers by itself: nothing that other requests need is done for an event.
 */
export function ingestMiddleware(parts: Ingestion): Koa.Middleware {
  const refused = refusals(parts.runtime);
  return (ctx, next) => {
    const { req, res } = ctx;
    const path = req.url?.split("?", 1)[0] ?? "";
    const handler = path.startsWith(ROOT)
      ? (HANDLERS.get(path.slice(ROOT.length)) ?? NO_HANDLER)
      : (otlpHandler(path) ?? sdkHandler(path));
    if (!handler) return next();
    ctx.respond = false;
    const requestId = giveRequestId(res);
    res.setHeader("X-Request-Id", requestId);
    serve(parts, handler, req, res).then(refused.succeeded, (error) => {
      handler.refuse(req, res, refused.of(error, requestId), requestId);
      discardRest(req);
    });
    return undefined;
  };
}

const serve = async (parts: Ingestion, handler: Handler, request: IncomingMessage, response: ServerResponse) => {
  if (parts.runtime.stopping.aborted) throw unavailable("The server is stopping; try again");
  return handler.serve(parts, request, response);
};

/** The handler of a name; one without an endpoint answers unknown names. */
function captureHandler(name: string, endpoint: Endpoint | undefined): Handler {
  const place = AGENTS.test(name) ? TELEMETRY_KEY : CAPTURE_KEY;
  return {
    async serve(parts, request, response) {
      const { status, body, headers } = await receive(parts, route(endpoint, request.method), request, place);
      answer(response, status, body, headers);
    },
    refuse: (_, response, error, requestId) => answerError(response, error, requestId),
  };
}

/** @throws AppError 404 or 405 */
function route(endpoint: Endpoint | undefined, method: string | undefined): Endpoint {
  if (!endpoint) throw new AppError("not_found", "No such endpoint under /api/v1/", { tag: "not_found" });
  if (method === "POST") return endpoint;
  throw onlyMethod("POST");
}

/** Lets a caller that is still sending read its answer, but not for long. */
function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.once("close", () => clearTimeout(timer));
}
