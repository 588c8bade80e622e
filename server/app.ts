import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import type { Logger } from "pino";
import { openDatabase } from "../db/open.ts";
import { startAdminSocket } from "./admin/socket.ts";
import { flushLastUsed } from "./auth/last-used.ts";
import type { Config } from "./config.ts";
import { controlMiddleware, controlPaths } from "./control/index.ts";
import { assetPaths } from "./graphql/http/graphiql.ts";
import { graphqlMiddleware } from "./graphql/middleware.ts";
import { ingestMiddleware, ingestPaths } from "./ingest/middleware.ts";
import { startJobs } from "./jobs/index.ts";
import { oauthMiddleware, oauthPaths } from "./oauth/middleware.ts";
import { corsHeaders } from "./operations/cors.ts";
import { createHttpServer, drain } from "./operations/http-server.ts";
import { createMetrics, type Metrics } from "./operations/metrics.ts";
import { observe } from "./operations/observe.ts";
import { logRequest } from "./operations/request-log.ts";
import { routePatterns } from "./operations/route-pattern.ts";
import { securityHeaders } from "./operations/security-headers.ts";
import { limitUpgrades } from "./operations/upgrade.ts";
import type { Runtime } from "./runtime.ts";
import { loadSecret } from "./secret.ts";
import { opensSocket, startStream } from "./stream/index.ts";
import { webMiddleware } from "./web/middleware.ts";
import { webPaths } from "./web/paths.ts";

/** A running server. */
export interface App {
  /** Where it listens, e.g. http://127.0.0.1:4000. */
  url: string;
  runtime: Runtime;
  /** Stops taking work, lets what is in flight finish (10 s at most), closes the database. */
  close(): Promise<void>;
}

const DRAIN_MS = 10_000;
/** Connections of one process unless DATABASE_POOL says otherwise. */
const POOL = 10;

/**
 * Opens the database, mounts every API and listens.
 * @throws when the database cannot be opened or the port is taken.
 */
export async function startApp(config: Config, log: Logger): Promise<App> {
  const db = await openDatabase({
    url: config.DATABASE_URL,
    directUrl: config.DATABASE_DIRECT_URL,
    dataDir: config.DATA_DIR,
    poolSize: config.DATABASE_POOL ?? POOL,
    warn: (message) => log.warn(message),
  });
  const closing = async (error: unknown) => {
    await db.close();
    throw error;
  };
  const stop = new AbortController();
  // Each job waits for it, so that no number of listeners tells of a leak.
  setMaxListeners(0, stop.signal);
  const runtime: Runtime = {
    config,
    db,
    log,
    secret: await loadSecret(config).catch(closing),
    publicUrl: config.PUBLIC_URL?.replace(/\/$/, "") ?? addressOf(config.HOST, config.PORT),
    stopping: stop.signal,
  };
  const server = createHttpServer(listener(runtime));
  const listening = await new Promise<AddressInfo>((resolve, reject) => {
    server.once("error", reject);
    server.listen(config.PORT, config.HOST, () => resolve(server.address() as AddressInfo));
  }).catch(closing);
  const stream = startStream(runtime, server);
  limitUpgrades(server, opensSocket);
  startJobs(runtime);
  const closeAdmin = db.engine === "embedded" ? await startAdminSocket(runtime) : undefined;
  const url = addressOf(config.HOST, listening.port);
  runtime.publicUrl = config.PUBLIC_URL ? runtime.publicUrl : url;
  const close = async () => {
    stop.abort();
    await Promise.all([stream.close(), drain(server, DRAIN_MS), closeAdmin?.()]);
    await flushLastUsed(db).catch((error) => log.warn({ err: error }, "last-used times not written"));
    await db.close();
  };
  return { url, runtime, close };
}

/** An address of IPv6 stands in brackets, since a port follows. */
const addressOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

const patternOf = routePatterns([
  ...controlPaths,
  ...ingestPaths,
  ...assetPaths,
  ...oauthPaths,
  ...webPaths,
  "/graphql",
  "/metrics",
]);

/** Every request, observed, to the middleware that answers it. */
function listener(runtime: Runtime): RequestListener {
  const metrics = runtime.config.METRICS === "on" ? createMetrics(runtime) : undefined;
  const handle = stack(runtime, metrics).callback();
  return (request, response) => {
    observe(request, response, (served) => {
      logRequest(runtime, served, patternOf);
      metrics?.count(served);
    });
    handle(request, response);
  };
}

/** One middleware after another: each answers its own paths and passes on the rest. */
function stack(runtime: Runtime, metrics: Metrics | undefined): Koa {
  // Of X-Forwarded-For only the last entry counts: our own proxy wrote it, the caller may have written the others.
  const koa = new Koa({ proxy: runtime.config.TRUST_PROXY === "on", maxIpsCount: 1 });
  koa.silent = true;
  koa.on("error", (error) => runtime.log.error({ err: error }, "request failed"));
  // The first: an event needs nothing of what stands behind it.
  koa.use(ingestMiddleware(runtime));
  koa.use((ctx, next) => {
    ctx.state.requestId = randomUUID();
    ctx.set("X-Request-Id", ctx.state.requestId);
    if (hasPath(ctx)) return next();
    ctx.status = 400;
    const error = "The request names no path: begin its target with / or with the address of this server.";
    ctx.body = { error, code: "invalid_target", request_id: ctx.state.requestId };
    return;
  });
  koa.use(securityHeaders(runtime));
  koa.use(corsHeaders(runtime));
  if (metrics) koa.use(metrics.middleware);
  koa.use(oauthMiddleware(runtime));
  koa.use(graphqlMiddleware(runtime));
  koa.use(controlMiddleware(runtime));
  koa.use(webMiddleware());
  koa.use((ctx) => {
    ctx.status = 404;
    const error = "Nothing is served at this path; see /api/docs, /graphql and /settings.";
    ctx.body = { error, code: "not_found", request_id: ctx.state.requestId };
  });
  return koa;
}

/** A target in absolute form may be no URL at all; whoever asks for its path then is answered with an exception. */
function hasPath(ctx: Koa.Context): boolean {
  try {
    return typeof ctx.path === "string";
  } catch {
    return false;
  }
}
