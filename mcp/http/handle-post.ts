import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { LRUCache } from "lru-cache";
import { createGraphqlClient } from "../api/graphql.ts";
import { type ClientOptions, createClientContext } from "../client-context.ts";
import type { Config } from "../config.ts";
import { TEAM } from "../documents/team.ts";
import { KeyRefused } from "../errors.ts";
import { isMethod2026, SUBSCRIBE, versionedTransport } from "../protocol/versioned-transport.ts";
import { claimedVersion, headerError } from "../protocol/versions.ts";
import { createServer } from "../server.ts";
import { parseMessages } from "./body.ts";
import { isOAuthToken } from "./oauth.ts";
import { CREATE_KEY, HttpError, INVALID_TOKEN, tokenRefused } from "./response.ts";

interface Post {
  config: Config;
  client: ClientOptions;
  headers: IncomingHttpHeaders;
  /** Parsed JSON. */
  body: unknown;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
}

interface Reply {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * The headers the SDK's transport gets. Body and headers are checked before: the transport would refuse a client that
 * accepts JSON alone, and the header of 2026-07-28.
 */
const REQUEST = new Request("http://mcp.invalid/mcp", {
  method: "POST",
  headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
});

/**
 * Answers one POST with a server and a transport of its own, since ids of two clients may be the same.
 * @throws HttpError 401 when Trackway refuses the key, before or during the work.
 */
export async function handlePost({ config, client, headers, body, signal }: Post): Promise<Reply> {
  const messages = parseMessages(body);
  const [first] = messages;
  const error = first && messages.length === 1 ? headerError(headers, first) : undefined;
  if (error) return { status: 400, headers: JSON_TYPE, text: JSON.stringify(error) };
  let refused =
    messages.some(isFirstRequest) &&
    !isOAuthToken(client.apiKey) &&
    (await isKeyRefused(config.url, client.apiKey, signal));
  if (refused) throw keyRefused();
  const onKeyRefused = () => {
    refused = true;
  };
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: methodOf(first) !== SUBSCRIBE });
  const server = createServer(createClientContext(config, { ...client, onKeyRefused }));
  await server.connect(versionedTransport(transport as Transport));
  signal.addEventListener("abort", () => void server.close(), { once: true });
  const response = await transport.handleRequest(REQUEST, { parsedBody: body });
  const text = await response.text();
  if (refused) throw isOAuthToken(client.apiKey) ? tokenRefused() : keyRefused();
  return {
    status: isUnknown2026(first) ? 404 : response.status,
    headers: Object.fromEntries(response.headers),
    // The transport answers a batch of one with an object.
    text: Array.isArray(body) && text.startsWith("{") ? `[${text}]` : text,
  };
}

const JSON_TYPE = { "content-type": "application/json" };

const methodOf = (message: JSONRPCMessage | undefined) => (message && "method" in message ? message.method : undefined);

/** The first requests of a client: a wrong key should be known then, and not at the first call of a tool. */
const isFirstRequest = (message: JSONRPCMessage) => ["initialize", "server/discover"].includes(methodOf(message) ?? "");

/** Only 2026-07-28 has an HTTP status of its own for a method that does not exist. */
const isUnknown2026 = (message: JSONRPCMessage | undefined) =>
  message !== undefined &&
  "method" in message &&
  "id" in message &&
  claimedVersion(message) !== undefined &&
  !isMethod2026(message.method);

export const keyRefused = (): HttpError =>
  new HttpError(401, `Trackway refused this API key: it is unknown or deleted. ${CREATE_KEY}`, INVALID_TOKEN);

/** The longest check of a key for which no client waits, ms. */
const CHECK_MS = 5_000;

/** Digests of keys that were accepted lately. One that is deleted meanwhile is refused at its next call. */
const accepted = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });

/**
 * True if Trackway refuses the key. Asked at the first request of a client, so that a wrong key is known before the
 * first call of a tool, and once for each connection. A Trackway that is out of reach refuses nothing.
 */
export async function isKeyRefused(url: string, key: string, signal = AbortSignal.timeout(CHECK_MS)): Promise<boolean> {
  const digest = createHash("sha256").update(url).update(key).digest("base64");
  if (accepted.has(digest)) return false;
  try {
    await createGraphqlClient({ url, key, signal })(TEAM.viewer);
    accepted.set(digest, true);
    return false;
  } catch (error) {
    return error instanceof KeyRefused;
  }
}
