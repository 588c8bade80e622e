import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Recorder } from "../capture/recorder.ts";
import type { Config } from "../config.ts";
import { crossOrigin, isForeign } from "./allowed-hosts.ts";
import { readBody } from "./body.ts";
import { exchange } from "./handle-post.ts";
import { captureOf, keysOf, requestSelection } from "./request.ts";
import { Refusal, send, sendRefusal } from "./response.ts";

interface Surroundings {
  config: Config;
  /** Only when the process records calls. */
  recorder: Recorder | undefined;
}

/** The HTTP server's whole surface: POST /mcp, GET /health, and JSON 404s. */
export function endpoint(surroundings: Surroundings): RequestListener {
  return (request, response) => {
    answer(surroundings, request, response).catch((error: unknown) => sendRefusal(response, error));
  };
}

async function answer(
  { config, recorder }: Surroundings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isForeign(config, request)) throw new Refusal(403, "The Host or Origin of this request is not allowed here.");
  const path = (request.url ?? "/").split("?", 1)[0];
  if (path === "/health" && request.method === "GET") return send(response, 200, { status: "ok" });
  if (path !== "/mcp") throw new Refusal(404, `There is nothing at ${path}. MCP is at POST /mcp.`);
  crossOrigin(request, response);
  if (request.method === "OPTIONS") return send(response, 204);
  if (request.method !== "POST") {
    throw new Refusal(405, "Only POST: this server is stateless and opens no stream.", { allow: "POST, OPTIONS" });
  }
  const keys = keysOf(request);
  const credentials = { ...keys, selection: requestSelection(request), capture: captureOf(request, keys, recorder) };
  const body = await readBody(request);
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const { status, messages } = await exchange({
    config,
    credentials,
    headers: request.headers,
    body,
    signal: gone.signal,
  });
  if (status === 401) throw new Refusal(401, "Trackway refused this API key.", { "www-authenticate": INVALID });
  sendMessages(response, status, messages, Array.isArray(body));
}

const INVALID = 'Bearer error="invalid_token"';

function sendMessages(response: ServerResponse, status: number, messages: object[], batch: boolean): void {
  // Only a subscription answers more than one message to one request, which takes a stream.
  if (!batch && messages.length > 1) {
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    response.end(messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(""));
  } else if (messages.length === 0) {
    send(response, 202);
  } else {
    send(response, status, batch ? messages : messages[0]);
  }
}
