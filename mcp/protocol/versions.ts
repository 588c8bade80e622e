import type { IncomingHttpHeaders } from "node:http";
import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { getOwnProperty } from "../../formats/own.ts";

/** The protocol version without a handshake: every request contains the version and the client's capabilities. */
export const VERSION_2026 = "2026-07-28";

/** Supported protocol versions, newest first. */
const SUPPORTED_VERSIONS = [VERSION_2026, ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= "2024-11-05")];

/** Names in `_meta` that the protocol reserves. */
export const META_KEYS = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  server: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/**
 * Returns the protocol version that a request names in `_meta`. Returns undefined if the request names no version, or a
 * supported version with a handshake.
 */
export function readClaimedVersion({ params }: Pick<JSONRPCRequest, "params">): string | undefined {
  const claim = params?._meta?.[META_KEYS.version];
  if (claim === undefined) return undefined;
  const version = String(claim);
  return version !== VERSION_2026 && SUPPORTED_VERSIONS.includes(version) ? undefined : version;
}

/** Error codes of JSON-RPC, of the SDK (`timeout`) and of protocol version 2026-07-28. */
export const ERROR_CODES = {
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  timeout: -32001,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
};

/** Creates a JSON-RPC error response. The id is null if the request's id could not be read. */
export function createErrorResponse(
  id: RequestId | null,
  code: number,
  message: string,
  data?: unknown,
): JSONRPCErrorResponse {
  const error = { code, message, ...(data !== undefined && { data }) };
  return { jsonrpc: "2.0", id, error } as JSONRPCErrorResponse;
}

export const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => "method" in message && "id" in message;

/** Returns the id of the request that a message cancels. */
export const readCancelledId = (message: JSONRPCMessage): RequestId | undefined =>
  "method" in message && message.method === "notifications/cancelled"
    ? (message.params?.["requestId"] as RequestId | undefined)
    : undefined;

/** Maximum number of messages in a batch. Only versions up to 2025-03-26 have batches. */
export const MAX_BATCH = 50;

/**
 * Checks the `_meta` of a request that names protocol version `version`. Returns the error response for an unsupported
 * version or missing client capabilities; undefined for a valid request.
 */
export function findMetaError(request: JSONRPCRequest, version: string): JSONRPCErrorResponse | undefined {
  if (version !== VERSION_2026) {
    const data = { supported: [VERSION_2026], requested: version };
    return createErrorResponse(request.id, ERROR_CODES.unsupportedVersion, "Unsupported protocol version", data);
  }
  const capabilities = request.params?._meta?.[META_KEYS.capabilities];
  if (typeof capabilities === "object" && capabilities !== null) return undefined;
  return createErrorResponse(
    request.id,
    ERROR_CODES.invalidParams,
    `Invalid params: _meta needs ${META_KEYS.capabilities}, an object`,
  );
}

/** By method, the name of the parameter whose value the header Mcp-Name must repeat. */
const NAMED: Record<string, string> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** Returns the error (HTTP 400) if the headers of a POST contradict its body; undefined if they agree. */
export function findHeaderError(
  headers: IncomingHttpHeaders,
  message: JSONRPCMessage,
): JSONRPCErrorResponse | undefined {
  if (!("method" in message) || !("id" in message)) return undefined;
  const version = headers["mcp-protocol-version"]?.toString();
  const claim = readClaimedVersion(message);
  if (claim !== undefined) return mismatch(headers, message, claim) ?? findMetaError(message, claim);
  if (version === undefined || (version !== VERSION_2026 && SUPPORTED_VERSIONS.includes(version))) return undefined;
  if (version === VERSION_2026) {
    return createErrorResponse(
      message.id,
      ERROR_CODES.invalidParams,
      `Invalid params: _meta needs ${META_KEYS.version} and ${META_KEYS.capabilities}`,
    );
  }
  const data = { supported: SUPPORTED_VERSIONS, requested: version };
  return createErrorResponse(message.id, ERROR_CODES.unsupportedVersion, "Unsupported protocol version", data);
}

/** Compares headers and body: in 2026-07-28 the headers repeat version, method and name of the body. */
function mismatch(headers: IncomingHttpHeaders, { id, method, params }: JSONRPCRequest, claim: string) {
  const member = getOwnProperty(NAMED, method);
  const expected: [string, unknown][] = [
    ["mcp-protocol-version", claim],
    ["mcp-method", method],
    ...(member ? ([["mcp-name", getOwnProperty(params, member)]] as [string, unknown][]) : []),
  ];
  for (const [name, value] of expected) {
    const header = decoded(getOwnProperty(headers, name)?.toString());
    if (header === value) continue;
    const message = header === undefined ? `${name} is missing` : `${name} is not what the body says`;
    return createErrorResponse(id, ERROR_CODES.headerMismatch, `Header mismatch: ${message}`);
  }
  return undefined;
}

/** Decodes a header value. Values that are not ASCII are encoded as =?base64?…?=. */
function decoded(value: string | undefined): string | undefined {
  const encoded = value === undefined ? null : /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value);
  return encoded?.[1] === undefined ? value : Buffer.from(encoded[1], "base64").toString("utf8");
}
