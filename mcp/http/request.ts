import type { IncomingMessage, ServerResponse } from "node:http";
import { isIPv6 } from "node:net";
import { getOwnProperty } from "../../formats/own.ts";
import { isUuid } from "../../formats/uuid.ts";
import { type CaptureToolCall, createToolCallCapture } from "../capture/capture.ts";
import type { Recorder } from "../capture/recorder.ts";
import type { Config } from "../config.ts";
import { parseSelection, type ToolSelection } from "../registry/selection.ts";
import { isOAuthToken } from "./oauth.ts";
import { CREATE_KEY_HINT, HttpError, INVALID_TOKEN_HEADERS } from "./response.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Tells whether the server must refuse a request because of its Host or Origin header, as a defense against DNS
 * rebinding. The server allows loopback names, the address that the server listens on, the hosts of MCP_PUBLIC_URL, and
 * the names in MCP_ALLOWED_HOSTS and MCP_ALLOWED_ORIGINS (`*` allows any).
 */
export function isDisallowedHostOrOrigin(
  { host, allowedHosts, allowedOrigins }: Config,
  { headers }: IncomingMessage,
): boolean {
  const name = hostname(`http://${headers.host ?? ""}`);
  const bound = hostname(`http://${isIPv6(host) ? `[${host}]` : host}`);
  const served =
    name !== undefined &&
    (LOOPBACK.has(name) || name === bound || allowedHosts.some((it) => it === "*" || it === name));
  if (!served) return true;
  const { origin } = headers;
  if (origin === undefined) return false;
  const page = hostname(origin);
  return !(allowedOrigins.some((it) => it === "*" || it === origin) || (page !== undefined && LOOPBACK.has(page)));
}

/** Sets the CORS headers that let a page read the response. The origin of the page has already been checked. */
export function setCorsHeaders({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader("access-control-allow-origin", headers.origin);
  response.setHeader("vary", "origin");
  response.setHeader("access-control-allow-methods", "POST");
  response.setHeader("access-control-allow-headers", headers["access-control-request-headers"] ?? "*");
  response.setHeader("access-control-expose-headers", "www-authenticate");
}

function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/**
 * Reads the keys of a request: the personal key or OAuth token in Authorization (with or without `Bearer`), and the
 * ingest key in x-api-key.
 * @throws HttpError 401 without a well-formed personal key or token
 */
export function readKeys({ headers }: IncomingMessage): { apiKey: string; ingestKey: string | undefined } {
  const apiKey = headers.authorization?.replace(/^Bearer\b\s*/i, "").trim();
  if (!apiKey) {
    const challenge = { "www-authenticate": "Bearer" };
    throw new HttpError(401, "Send a personal API key: Authorization: Bearer trk_api_…", challenge);
  }
  if (!/^trk_api_[0-9a-f]{40}$/.test(apiKey) && !isOAuthToken(apiKey)) {
    const malformed =
      "The Authorization header contains no personal API key. A key is trk_api_ followed by 40 hexadecimal digits.";
    throw new HttpError(401, `${malformed} ${CREATE_KEY_HINT}`, INVALID_TOKEN_HEADERS);
  }
  const ingestKey = headers["x-api-key"]?.toString();
  if (ingestKey !== undefined && !/^sk_[0-9a-f]{64}$/.test(ingestKey)) {
    throw new HttpError(401, "x-api-key is no ingest key (sk_…).", { "www-authenticate": "ApiKey" });
  }
  return { apiKey, ingestKey };
}

/**
 * Reads the tools that a request selects by header or query: toolsets, tools, read-only. A request can only reduce
 * the tools that the process allows.
 * @throws HttpError 400 for an unknown name
 */
export function readToolSelection({ headers, url }: IncomingMessage): ToolSelection {
  const query = new URLSearchParams((url ?? "").split("?", 2)[1]);
  const given = (header: string, parameter: string) =>
    getOwnProperty(headers, header)?.toString() ?? query.get(parameter) ?? undefined;
  const list = (text: string | undefined) => text?.split(",").map((name) => name.trim());
  const readOnly = given("x-mcp-readonly", "read_only");
  try {
    return parseSelection({
      toolsets: list(given("x-mcp-toolsets", "toolsets")),
      tools: list(given("x-mcp-tools", "tools")),
      readOnly: readOnly !== undefined && !["", "0", "false", "off"].includes(readOnly),
    });
  } catch (error) {
    throw new HttpError(400, (error as Error).message);
  }
}

/**
 * Creates the function that records a request's tool calls. The function uses the request's ingest key, and the session
 * and turn that the request's headers name.
 */
export function createRequestCapture(
  { headers }: IncomingMessage,
  { ingestKey }: { ingestKey: string | undefined },
  recorder: Recorder | undefined,
): CaptureToolCall | undefined {
  if (!recorder || ingestKey === undefined) return undefined;
  const id = (name: string) =>
    [getOwnProperty(headers, name)].flat().find((value) => value !== undefined && isUuid(value));
  return createToolCallCapture(recorder, {
    key: ingestKey,
    sessionId: id("x-trackway-session"),
    turnId: id("x-trackway-turn"),
  });
}
