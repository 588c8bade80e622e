import type { RequestListener, ServerResponse } from "node:http";
import Koa from "koa";
import { hostRule } from "./auth/origin.ts";
import { controlMiddleware, controlPaths } from "./control/index.ts";
import { assetPaths } from "./graphql/http/graphiql.ts";
import { graphqlMiddleware } from "./graphql/middleware.ts";
import { giveRequestId } from "./id.ts";
import type { Ingestion } from "./ingest/ingestion.ts";
import { ingestMiddleware, ingestPaths } from "./ingest/middleware.ts";
import { ingestOpenApi } from "./ingest/openapi.ts";
import { oauthMiddleware, oauthPaths } from "./oauth/middleware.ts";
import { corsHeaders, securityHeaders, setHeaders } from "./operations/headers.ts";
import { createMetrics, type Metrics } from "./operations/metrics.ts";
import { logRequest, observe, routePatterns } from "./operations/request-log.ts";
import type { Runtime } from "./runtime.ts";
import { docsMiddleware } from "./web/docs.ts";
import { answerWebPage, webMiddleware } from "./web/middleware.ts";
import { webPaths } from "./web/paths.ts";

/** Every request, observed, to the middleware that answers it. */
export function requestListener(runtime: Runtime, parts: Ingestion): RequestListener {
  const metrics = runtime.config.METRICS === "on" ? createMetrics(runtime) : undefined;
  const handle = stack(runtime, parts, metrics).callback();
  const isForThisHost = hostRule(runtime.config);
  return (request, response) => {
    observe(request, response, (served) => {
      logRequest(runtime, served, patternOf);
      metrics?.count(served);
    });
    if (isForThisHost(request)) handle(request, response);
    else refuseHost(response);
  };
}

function refuseHost(response: ServerResponse): void {
  const error =
    "The Host of this request is not served here: use the address that the server listens on, or name the host in PUBLIC_URL or ALLOWED_HOSTS.";
  const body = JSON.stringify({ error, code: "foreign_host", request_id: giveRequestId(response) });
  response.writeHead(403, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }).end(body);
}

const patternOf = routePatterns([
  ...controlPaths,
  ...ingestPaths,
  ...assetPaths,
  ...oauthPaths,
  ...webPaths,
  "/graphql",
  "/metrics",
]);

/** One middleware after another: each answers its own paths and passes on the rest. */
function stack(runtime: Runtime, parts: Ingestion, metrics: Metrics | undefined): Koa {
  // Only the last entry of X-Forwarded-For counts: our own proxy wrote it. The caller may have written the others.
  const koa = new Koa({ proxy: runtime.config.TRUST_PROXY === "on", maxIpsCount: 1 });
  koa.silent = true;
  koa.on("error", (error) => runtime.log.error({ err: error }, "request failed"));
  // Ingestion comes first: an event needs nothing of the later middleware.
  koa.use(ingestMiddleware(parts));
  koa.use((ctx, next) => {
    ctx.state.requestId = giveRequestId(ctx.res);
    return next();
  });
  const security = securityHeaders(runtime);
  const graphql = graphqlMiddleware(runtime, security);
  // Programs at /graphql are most of the callers, and need nothing of the middleware before the other routes.
  koa.use(graphql.programs);
  koa.use((ctx, next) => {
    ctx.set("X-Request-Id", ctx.state.requestId);
    if (hasPath(ctx)) return next();
    ctx.status = 400;
    const error = "The request names no path: begin its target with / or with the address of this server.";
    ctx.body = { error, code: "invalid_target", request_id: ctx.state.requestId };
    return;
  });
  koa.use(setHeaders(security));
  koa.use(corsHeaders(runtime));
  if (metrics) koa.use(metrics.middleware);
  koa.use(oauthMiddleware(runtime, answerWebPage));
  koa.use(graphql.all);
  koa.use(controlMiddleware(runtime, ingestOpenApi));
  koa.use(docsMiddleware());
  koa.use(webMiddleware());
  koa.use((ctx) => {
    ctx.status = 404;
    const error = "Nothing is served at this path; see /docs, /api/docs, /graphql and /settings.";
    ctx.body = { error, code: "not_found", request_id: ctx.state.requestId };
  });
  return koa;
}

/** A target in absolute form may be no URL at all; reading its path then throws. */
function hasPath(ctx: Koa.Context): boolean {
  try {
    return typeof ctx.path === "string";
  } catch {
    return false;
  }
}
