import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { buildServerUrl } from "../../formats/link.ts";
import { explainListenError } from "../../formats/local-causes.ts";
import { normalizeRequestTarget } from "../../formats/request-target.ts";
import { loadGraphqlLibrary } from "../api/graphql.ts";
import { createRecorder, type Recorder } from "../capture/recorder.ts";
import type { ClientOptions } from "../client-context.ts";
import { type Config, ConfigError } from "../config.ts";
import { readBody } from "./body.ts";
import { type ConnectionTimeouts, createGuardedHttpServer, type GuardedHttpServer } from "./connections.ts";
import { createKeyRefusedError, handlePost, isKeyRefused } from "./handle-post.ts";
import type { Metrics } from "./metrics.ts";
import {
  addChallenge,
  buildResourceMetadata,
  isOAuthToken,
  needsChallenge,
  RESOURCE_METADATA_PATH,
  readScopes,
} from "./oauth.ts";
import {
  createRequestCapture,
  isDisallowedHostOrOrigin,
  readKeys,
  readToolSelection,
  setCorsHeaders,
} from "./request.ts";
import { createTokenRefusedError, HttpError, sendError, sendJson, sendText } from "./response.ts";

interface Options {
  config: Config;
  /** Set if the process records calls. */
  recorder: Recorder | undefined;
  /** Set if the process serves metrics. */
  metrics: Metrics | undefined;
  /** Aborts when the process receives a signal to stop. */
  leaving: AbortSignal;
}

/** Creates the HTTP server with all endpoints: POST /mcp, GET /health, GET /metrics and the OAuth metadata. */
export function createMcpHttpServer(options: Options, waits?: ConnectionTimeouts): Server {
  const connections = createGuardedHttpServer((...exchange) => endpoint(options, connections)(...exchange), waits);
  return connections.server;
}

function endpoint(options: Options, connections: GuardedHttpServer): RequestListener {
  return (request, response) => {
    options.metrics?.observe(request, response);
    // While the server stops, each response closes its connection, so that proxies and clients open their next
    // connection to another server.
    if (options.leaving.aborted) response.shouldKeepAlive = false;
    connections.beginResponse(request, response);
    answer({ ...options, connections }, request, response).catch(async (error: unknown) =>
      sendError(response, await addChallenge(options.config, request, error)),
    );
  };
}

async function answer(
  { config, recorder, metrics, leaving, connections }: Options & { connections: GuardedHttpServer },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The target is converted before the host is checked, because a target in absolute form names the host.
  if (!normalizeRequestTarget(request)) throw new HttpError(400, "The URL of the request has no valid path.");
  if (isDisallowedHostOrOrigin(config, request))
    throw new HttpError(403, "This server does not allow the Host or Origin header of this request.");
  const path = (request.url ?? "/").split("?", 1)[0];
  if (path === "/health" && request.method === "GET") {
    if (leaving.aborted) return sendJson(response, 503, { status: "unavailable" });
    return sendJson(response, 200, { status: "ok" });
  }
  if (path === "/metrics" && request.method === "GET" && metrics) return metrics.answer(request, response);
  if (path?.startsWith(RESOURCE_METADATA_PATH) && request.method === "GET") {
    const readable = { "access-control-allow-origin": "*" };
    return sendJson(response, 200, await buildResourceMetadata(config, request), readable);
  }
  // This 404 response is JSON, because clients start OAuth discovery after a 404 that is not JSON.
  if (path !== "/mcp") throw new HttpError(404, `There is nothing at ${path}. MCP is at POST /mcp.`);
  setCorsHeaders(request, response);
  if (request.method === "OPTIONS") return sendText(response, 204, "");
  if (request.method !== "POST") {
    // A client may request the OAuth challenge with GET or HEAD. `readKeys` throws the challenge if the request has no
    // key.
    if (await needsChallenge(config, request)) readKeys(request);
    throw new HttpError(405, "Use POST. This server is stateless and does not open streams.", {
      allow: "POST, OPTIONS",
    });
  }
  const keys = readKeys(request);
  const given = {
    ...keys,
    selection: readToolSelection(request),
    capture: createRequestCapture(request, keys, recorder),
  };
  const client = isOAuthToken(keys.apiKey) ? await withinScopes(config, given) : given;
  const signal = signalOf(response);
  // OAuth tokens are already checked above.
  const refusal = async () =>
    !isOAuthToken(keys.apiKey) && (await isKeyRefused(config.url, keys.apiKey)) ? createKeyRefusedError() : undefined;
  const body = await connections.readWithKey({ request, response }, readBody(request), refusal);
  const { status, text, headers } = await handlePost({ config, client, headers: request.headers, body, signal });
  sendText(response, status, text, headers);
}

/**
 * Limits a client with an OAuth token to the tools that its scopes allow.
 * @throws HttpError 401 for an expired or revoked token. The token check is necessary, because some requests make no
 * other call to the Trackway server.
 */
async function withinScopes(config: Config, client: ClientOptions): Promise<ClientOptions> {
  const scopes = await readScopes(config, client.apiKey);
  if (!scopes) throw createTokenRefusedError();
  const { apiKey, selection, ingestKey = scopes.includes("record") ? apiKey : undefined } = client;
  return {
    ...client,
    ingestKey,
    selection: { ...selection, readOnlyTracker: !scopes.includes("write") },
  };
}

/** Returns a signal that aborts when the client disconnects before the response is written. */
function signalOf(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) closed.abort();
  });
  return closed.signal;
}

const DRAIN_MS = 10_000;
/** Interval in ms at which the server closes idle connections during a stop. */
const SWEEP_MS = 50;

/** Serves MCP over HTTP until SIGTERM, SIGINT, or the exit of the server that started this process. */
export async function serveHttp(config: Config): Promise<void> {
  await loadGraphqlLibrary();
  const recorder = config.capture ? createRecorder(config.url) : undefined;
  const metrics = config.metrics ? (await import("./metrics.ts")).createMetrics(config) : undefined;
  const leaving = new AbortController();
  const server = createMcpHttpServer({ config, recorder, metrics, leaving: leaving.signal });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `MCP_PORT ${config.port} is taken on ${config.host}; choose another, or 0`;
      const variables = { hostVariable: "MCP_HOST", portVariable: "MCP_PORT" };
      const cause = explainListenError(error.code ?? "", { host: config.host, port: config.port, ...variables });
      reject(
        new ConfigError(error.code === "EADDRINUSE" ? taken : (cause ?? `MCP_HOST ${config.host}: ${error.message}`)),
      );
    });
    server.listen(config.port, config.host, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : config.port;
  const url = `${buildServerUrl(config.host, Number(port))}/mcp`;
  process.stderr.write(`trackway-mcp: MCP over HTTP at ${url}, for Trackway at ${config.url}\n`);
  // Sends the address to the supervisor, which publishes the address. The address is sent only now, because the port is
  // reserved only when the server listens.
  process.send?.({ url });
  const stop = async (delay: number) => {
    leaving.abort();
    await sleep(delay * 1000);
    const deadline = AbortSignal.timeout(DRAIN_MS);
    deadline.addEventListener("abort", () => process.exit(0), { once: true });
    server.close(() => void Promise.resolve(recorder?.close(deadline)).then(() => process.exit(0)));
    setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.removeAllListeners(signal).once(signal, () => stop(config.shutdownDelay));
  // A disconnect means that the server that started this process has exited. This process begins to stop without a
  // delay, because the next server needs the port.
  if (process.channel) process.once("disconnect", () => stop(0));
}
