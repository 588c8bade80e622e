import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { loadGraphqlClient } from "../api/graphql.ts";
import { createRecorder, type Recorder } from "../capture/recorder.ts";
import type { ClientOptions } from "../client-context.ts";
import { type Config, ConfigError } from "../config.ts";
import { readBody } from "./body.ts";
import { type Connections, createConnections, type Waits } from "./connections.ts";
import { handlePost, isKeyRefused, keyRefused } from "./handle-post.ts";
import type { Metrics } from "./metrics.ts";
import { isOAuthToken, mustChallenge, RESOURCE_METADATA, resourceMetadata, scopesOf, withChallenge } from "./oauth.ts";
import { captureOf, isForeignRequest, keysOf, requestSelection, setCorsHeaders } from "./request.ts";
import { HttpError, sendError, sendJson, sendText, tokenRefused } from "./response.ts";

interface Options {
  config: Config;
  /** Only when the process records calls. */
  recorder: Recorder | undefined;
  /** Only when the process shows metrics. */
  metrics: Metrics | undefined;
  /** Aborted when the process is asked to stop. */
  leaving: AbortSignal;
}

/** Creates the HTTP server with its whole surface: POST /mcp, GET /health, whom to ask for a token, and JSON 404s. */
export function createMcpServer(options: Options, waits?: Waits): Server {
  const connections = createConnections((...exchange) => endpoint(options, connections)(...exchange), waits);
  return connections.server;
}

function endpoint(options: Options, connections: Connections): RequestListener {
  return (request, response) => {
    options.metrics?.observe(request, response);
    // A proxy or client that keeps connections opens the next one elsewhere.
    if (options.leaving.aborted) response.shouldKeepAlive = false;
    connections.beginResponse(request, response);
    answer({ ...options, connections }, request, response).catch(async (error: unknown) =>
      sendError(response, await withChallenge(options.config, request, error)),
    );
  };
}

async function answer(
  { config, recorder, metrics, leaving, connections }: Options & { connections: Connections },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isForeignRequest(config, request))
    throw new HttpError(403, "The Host or Origin of this request is not allowed here.");
  const path = (request.url ?? "/").split("?", 1)[0];
  if (path === "/health" && request.method === "GET") {
    if (leaving.aborted) return sendJson(response, 503, { status: "unavailable" });
    return sendJson(response, 200, { status: "ok" });
  }
  if (path === "/metrics" && request.method === "GET" && metrics) return metrics.answer(request, response);
  if (path?.startsWith(RESOURCE_METADATA) && request.method === "GET") {
    const readable = { "access-control-allow-origin": "*" };
    return sendJson(response, 200, await resourceMetadata(config, request), readable);
  }
  // A 404 that is not JSON, such as one for /.well-known/, would send clients into OAuth discovery.
  if (path !== "/mcp") throw new HttpError(404, `There is nothing at ${path}. MCP is at POST /mcp.`);
  setCorsHeaders(request, response);
  if (request.method === "OPTIONS") return sendText(response, 204, "");
  if (request.method !== "POST") {
    // A client may look for the way in with GET or HEAD, and must find it.
    if (await mustChallenge(config, request)) keysOf(request);
    throw new HttpError(405, "Only POST: this server is stateless and opens no stream.", { allow: "POST, OPTIONS" });
  }
  const keys = keysOf(request);
  const given = { ...keys, selection: requestSelection(request), capture: captureOf(request, keys, recorder) };
  const client = isOAuthToken(keys.apiKey) ? await withinScopes(config, given) : given;
  const signal = signalOf(response);
  // A token of OAuth was checked just now.
  const refusal = async () =>
    !isOAuthToken(keys.apiKey) && (await isKeyRefused(config.url, keys.apiKey)) ? keyRefused() : undefined;
  const body = await connections.readWithKey({ request, response }, readBody(request), refusal);
  const { status, text, headers } = await handlePost({ config, client, headers: request.headers, body, signal });
  sendText(response, status, text, headers);
}

/**
 * A client with a token of OAuth, with the tools that it may use.
 * @throws HttpError 401 for a token that has ended: some requests reach Trackway no further than this.
 */
async function withinScopes(config: Config, client: ClientOptions): Promise<ClientOptions> {
  const scopes = await scopesOf(config, client.apiKey);
  if (!scopes) throw tokenRefused();
  const { apiKey, selection, ingestKey = scopes.includes("record") ? apiKey : undefined } = client;
  return {
    ...client,
    ingestKey,
    selection: { ...selection, readOnlyTracker: !scopes.includes("write") },
  };
}

/** Aborted when the client goes away before its answer is written. */
function signalOf(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) closed.abort();
  });
  return closed.signal;
}

const DRAIN_MS = 10_000;
/** The interval at which idle connections are closed meanwhile. */
const SWEEP_MS = 50;

/** Serves POST /mcp until SIGTERM, SIGINT, or the end of the server that started this process. */
export async function serveHttp(config: Config): Promise<void> {
  await loadGraphqlClient();
  const recorder = config.capture ? createRecorder(config.url) : undefined;
  const metrics = config.metrics ? (await import("./metrics.ts")).createMetrics(config) : undefined;
  const leaving = new AbortController();
  const server = createMcpServer({ config, recorder, metrics, leaving: leaving.signal });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `MCP_PORT ${config.port} is taken on ${config.host}; choose another, or 0`;
      reject(
        error.code === "EADDRINUSE"
          ? new ConfigError(taken)
          : new ConfigError(`MCP_HOST ${config.host}: ${error.message}`),
      );
    });
    server.listen(config.port, config.host, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : config.port;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  const url = `http://${host}:${port}/mcp`;
  process.stderr.write(`trackway-mcp: MCP over HTTP at ${url}, for Trackway at ${config.url}\n`);
  // The supervisor that started this may pass the address on: only now is the port ours.
  process.send?.({ url });
  const stop = async (delay: number) => {
    leaving.abort();
    await sleep(delay * 1000);
    const deadline = AbortSignal.timeout(DRAIN_MS);
    deadline.addEventListener("abort", () => process.exit(0), { once: true });
    server.close(() => void Promise.resolve(recorder?.close(deadline)).then(() => process.exit(0)));
    setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop(config.shutdownDelay));
  // Another server may take its place at once, and needs the port.
  if (process.channel) process.once("disconnect", () => stop(0));
}
