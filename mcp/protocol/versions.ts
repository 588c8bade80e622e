import type { IncomingHttpHeaders } from "node:http";
import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { readOwn } from "../../formats/own.ts";

/** The version without a handshake: every request states its version and the client's capabilities itself. */
export const VERSION_2026 = "2026-07-28";

/** Every version served, newest first. */
const SUPPORTED_VERSIONS = [VERSION_2026, ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version >= "2024-11-05")];

/** The names the protocol reserves in `_meta`. */
export const META = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  server: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** The version a request claims for itself; nothing when it belongs to a version with a handshake. */
export function claimedVersion({ params }: Pick<JSONRPCRequest, "params">): string | undefined {
  const claim = params?._meta?.[META.version];
  if (claim === undefined) return undefined;
  const version = String(claim);
  return version !== VERSION_2026 && SUPPORTED_VERSIONS.includes(version) ? undefined : version;
}

/** The codes 2026-07-28 adds to those of JSON-RPC. */
export const ERROR_CODES = {
  headerMismatch: -32020,
  unsupportedVersion: -32022,
  methodNotFound: -32601,
  invalidParams: -32602,
};

/** A JSON-RPC error in answer to a request. */
export function errorResponse(id: RequestId, code: number, message: string, data?: unknown): JSONRPCErrorResponse {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
}

/** The fault in the `_meta` of a request that claims `version`; nothing when it can be served. */
export function requestMetaError(request: JSONRPCRequest, version: string): JSONRPCErrorResponse | undefined {
  if (version !== VERSION_2026) {
    const data = { supported: [VERSION_2026], requested: version };
    return errorResponse(request.id, ERROR_CODES.unsupportedVersion, "Unsupported protocol version", data);
  }
  const capabilities = request.params?._meta?.[META.capabilities];
  if (typeof capabilities === "object" && capabilities !== null) return undefined;
  return errorResponse(
    request.id,
    ERROR_CODES.invalidParams,
    `Invalid params: _meta needs ${META.capabilities}, an object`,
  );
}

/** The parameter of each method that its Mcp-Name header repeats. */
const NAMED: Record<string, string> = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" };

/** The mismatch between the headers and the body of a POST; nothing when it can be served (HTTP 400 otherwise). */
export function headerError(headers: IncomingHttpHeaders, message: JSONRPCMessage): JSONRPCErrorResponse | undefined {
  if (!("method" in message) || !("id" in message)) return undefined;
  const version = headers["mcp-protocol-version"]?.toString();
  const claim = claimedVersion(message);
  if (claim !== undefined) return mismatch(headers, message, claim) ?? requestMetaError(message, claim);
  if (version === undefined || (version !== VERSION_2026 && SUPPORTED_VERSIONS.includes(version))) return undefined;
  if (version === VERSION_2026) {
    return errorResponse(
      message.id,
      ERROR_CODES.invalidParams,
      `Invalid params: _meta needs ${META.version} and ${META.capabilities}`,
    );
  }
  const data = { supported: SUPPORTED_VERSIONS, requested: version };
  return errorResponse(message.id, ERROR_CODES.unsupportedVersion, "Unsupported protocol version", data);
}

/** 2026-07-28 wants version, method and name in headers too, each as the body has it. */
function mismatch(headers: IncomingHttpHeaders, { id, method, params }: JSONRPCRequest, claim: string) {
  const member = readOwn(NAMED, method);
  const expected: [string, unknown][] = [
    ["mcp-protocol-version", claim],
    ["mcp-method", method],
    ...(member ? ([["mcp-name", readOwn(params, member)]] as [string, unknown][]) : []),
  ];
  for (const [name, value] of expected) {
    const header = decoded(readOwn(headers, name)?.toString());
    if (header === value) continue;
    const message = header === undefined ? `${name} is missing` : `${name} is not what the body says`;
    return errorResponse(id, ERROR_CODES.headerMismatch, `Header mismatch: ${message}`);
  }
  return undefined;
}

/** Values that are not plain ASCII travel as =?base64?…?=. */
function decoded(value: string | undefined): string | undefined {
  const encoded = value === undefined ? null : /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value);
  return encoded?.[1] === undefined ? value : Buffer.from(encoded[1], "base64").toString("utf8");
}
