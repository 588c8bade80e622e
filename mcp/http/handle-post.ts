import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { LRUCache } from "lru-cache";
import { createGraphqlClient } from "../api/graphql.ts";
import { type ClientOptions, createClientContext } from "../client-context.ts";
import type { Config } from "../config.ts";
import { TEAM_DOCUMENTS } from "../documents/team.ts";
import { KeyRefusedError } from "../errors.ts";
import { createVersionedTransport, isMethod2026, SUBSCRIBE_METHOD } from "../protocol/versioned-transport.ts";
import { findHeaderError, readClaimedVersion } from "../protocol/versions.ts";
import { createMcpProtocolServer } from "../server.ts";
import { parseMessages } from "./body.ts";
import { isOAuthToken } from "./oauth.ts";
import { CREATE_KEY_HINT, createTokenRefusedError, HttpError, INVALID_TOKEN_HEADERS } from "./response.ts";

interface Post {
  config: Config;
  client: ClientOptions;
  headers: IncomingHttpHeaders;
  /** Parsed JSON of the request's body. */
  body: unknown;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

interface Reply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * Request that the SDK's transport gets instead of the real request, with fixed headers. The MCP server checks the body
 * and the headers of the real request itself. The transport would refuse clients that accept only JSON, and the header
 * of protocol version 2026-07-28.
 */
const REQUEST = new Request("http://mcp.invalid/mcp", {
  method: "POST",
  headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
});

/**
 * Handles one POST request. Each request gets its own server and transport of the SDK, because two clients may use the
 * same request ids.
 * @throws HttpError 401 if the Trackway server refuses the key, before or during the work
 */
export async function handlePost({ config, client, headers, body, signal }: Post): Promise<Reply> {
  const messages = parseMessages(body);
  const [first] = messages;
  const error = first && messages.length === 1 ? findHeaderError(headers, first) : undefined;
  if (error) return { status: 400, headers: JSON_TYPE, text: JSON.stringify(error) };
  let refused =
    messages.some(isFirstRequest) &&
    !isOAuthToken(client.apiKey) &&
    (await isKeyRefused(config.url, client.apiKey, signal));
  if (refused) throw createKeyRefusedError();
  const onKeyRefused = () => {
    refused = true;
  };
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: methodOf(first) !== SUBSCRIBE_METHOD,
  });
  const server = createMcpProtocolServer(createClientContext(config, { ...client, onKeyRefused }));
  await server.connect(createVersionedTransport(transport as Transport));
  signal.addEventListener("abort", () => void server.close(), { once: true });
  const response = await transport.handleRequest(REQUEST, { parsedBody: Array.isArray(body) ? messages : body });
  const text = await response.text();
  if (refused) throw isOAuthToken(client.apiKey) ? createTokenRefusedError() : createKeyRefusedError();
  return {
    status: isUnknown2026(first) ? 404 : response.status,
    headers: Object.fromEntries(response.headers),
    // For a batch of one request, the transport responds with an object. The client expects a list.
    text: Array.isArray(body) && text.startsWith("{") ? `[${text}]` : text,
  };
}

const JSON_TYPE = { "content-type": "application/json" };

const methodOf = (message: JSONRPCMessage | undefined) => (message && "method" in message ? message.method : undefined);

/**
 * Tells whether a message is a client's first request. The key is checked at the first request, so that a wrong key
 * fails early.
 */
const isFirstRequest = (message: JSONRPCMessage) => ["initialize", "server/discover"].includes(methodOf(message) ?? "");

/**
 * Tells whether a message of protocol version 2026-07-28 requests an unknown method. Only this version has an HTTP
 * status for an unknown method.
 */
const isUnknown2026 = (message: JSONRPCMessage | undefined) =>
  message !== undefined &&
  "method" in message &&
  "id" in message &&
  readClaimedVersion(message) !== undefined &&
  !isMethod2026(message.method);

export const createKeyRefusedError = (): HttpError =>
  new HttpError(
    401,
    `Trackway refused this API key: it is unknown or deleted. ${CREATE_KEY_HINT}`,
    INVALID_TOKEN_HEADERS,
  );

/** Time limit in ms for the check of a key, if no client waits for the result. */
const CHECK_MS = 5_000;

/**
 * Digests of recently accepted keys, which need no further check. If a key was deleted in the meantime, the Trackway
 * server refuses the key at its next call.
 */
const accepted = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });

/**
 * Tells whether the Trackway server refuses the key. Called for a client's first request, so that a wrong key fails
 * before the first tool call, and once per connection. If the server is unreachable, the key counts as accepted.
 */
export async function isKeyRefused(url: string, key: string, signal = AbortSignal.timeout(CHECK_MS)): Promise<boolean> {
  const digest = createHash("sha256").update(url).update(key).digest("base64");
  if (accepted.has(digest)) return false;
  try {
    await createGraphqlClient({ url, key, signal })(TEAM_DOCUMENTS.viewer);
    accepted.set(digest, true);
    return false;
  } catch (error) {
    return error instanceof KeyRefusedError;
  }
}
