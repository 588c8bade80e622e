import type { RequestListener, ServerResponse } from "node:http";
import Koa from "koa";
import { normalizeRequestTarget } from "../formats/request-target.ts";
import { createHostHeaderCheck } from "./auth/origin.ts";
import { controlMiddleware, controlPaths } from "./control/index.ts";
import { graphiqlAssetPaths } from "./graphql/http/graphiql.ts";
import { graphqlMiddleware } from "./graphql/middleware.ts";
import { assignRequestId } from "./id.ts";
import type { Ingestion } from "./ingest/ingestion.ts";
import { ingestMiddleware, ingestPaths } from "./ingest/middleware.ts";
import { ingestOpenApi } from "./ingest/openapi.ts";
import { oauthMiddleware, oauthPaths } from "./oauth/middleware.ts";
import { createCorsMiddleware, createHeadersMiddleware, securityHeaders } from "./operations/headers.ts";
import { createMetrics, type Metrics } from "./operations/metrics.ts";
import { createRoutePatternFinder, logRequest, observeRequest } from "./operations/request-log.ts";
import type { Runtime } from "./runtime.ts";
import { createDocsMiddleware } from "./web/docs.ts";
import { createWebAppMiddleware, respondWithWebPage } from "./web/middleware.ts";
import { WEB_ROUTE_PATTERNS } from "./web/paths.ts";

/** Handles every HTTP request: logs and counts the request, checks the host, and calls the middleware. */
export function requestListener(runtime: Runtime, parts: Ingestion): RequestListener {
  const metrics = runtime.config.METRICS === "on" ? createMetrics(runtime) : undefined;
  const handle = stack(runtime, parts, metrics).callback();
  const isForThisHost = createHostHeaderCheck(runtime.config);
  return (request, response) => {
    observeRequest(request, response, (served) => {
      logRequest(runtime, served, patternOf);
      metrics?.count(served);
    });
    // Converts the target before the host check, because a target in absolute form contains the host.
    if (!normalizeRequestTarget(request)) refuse(response, 400, INVALID_TARGET);
    else if (isForThisHost(request)) handle(request, response);
    else refuse(response, 403, FOREIGN_HOST);
  };
}

const FOREIGN_HOST = {
  error:
    "This server does not serve the Host of this request: use the address that the server listens on, or set the host in PUBLIC_URL or ALLOWED_HOSTS.",
  code: "foreign_host",
};

const INVALID_TARGET = {
  error: "The request target has no path: begin the target with / or with the address of this server.",
  code: "invalid_target",
};

function refuse(response: ServerResponse, status: number, reason: { error: string; code: string }): void {
  const request_id = assignRequestId(response);
  const body = JSON.stringify({ ...reason, request_id });
  const headers = { "Content-Type": "application/json", "X-Request-Id": request_id };
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
}

const patternOf = createRoutePatternFinder([
  ...controlPaths,
  ...ingestPaths,
  ...graphiqlAssetPaths,
  ...oauthPaths,
  ...WEB_ROUTE_PATTERNS,
  "/graphql",
  "/metrics",
]);

/** Builds the middleware stack. Each middleware responds to its own paths and passes other requests on. */
function stack(runtime: Runtime, parts: Ingestion, metrics: Metrics | undefined): Koa {
  // Only the last entry of X-Forwarded-For counts, because the operator's proxy wrote the entry. The caller may have
  // forged earlier entries.
  const koa = new Koa({ proxy: runtime.config.TRUST_PROXY === "on", maxIpsCount: 1 });
  koa.silent = true;
  koa.on("error", (error) => runtime.log.error({ err: error }, "request failed"));
  // Ingestion comes first, because events need none of the later middleware.
  koa.use(ingestMiddleware(parts));
  koa.use((ctx, next) => {
    ctx.state.requestId = assignRequestId(ctx.res);
    return next();
  });
  const security = securityHeaders(runtime);
  const graphql = graphqlMiddleware(runtime, security);
  // GraphQL requests from programs come next. Most requests come from programs, and these requests need none of the
  // later middleware.
  koa.use(graphql.programs);
  koa.use((ctx, next) => {
    ctx.set("X-Request-Id", ctx.state.requestId);
    return next();
  });
  koa.use(createHeadersMiddleware(security));
  koa.use(createCorsMiddleware(runtime));
  if (metrics) koa.use(metrics.middleware);
  koa.use(oauthMiddleware(runtime, respondWithWebPage));
  koa.use(graphql.all);
  koa.use(controlMiddleware(runtime, ingestOpenApi));
  koa.use(createDocsMiddleware());
  koa.use(createWebAppMiddleware());
  koa.use((ctx) => {
    ctx.status = 404;
    const error = "This path does not exist on this server; see /docs, /api/docs, /graphql and /settings.";
    ctx.body = { error, code: "not_found", request_id: ctx.state.requestId };
  });
  return koa;
}
