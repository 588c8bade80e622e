import type { IncomingHttpHeaders } from "node:http";
import type { JSONRPCErrorResponse, JSONRPCMessage, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { ERROR_CODES, errorResponse } from "./error-response.ts";
import { requestMetaError } from "./request-meta.ts";
import { claimedVersion, META, SUPPORTED_VERSIONS, VERSION_2026 } from "./versions.ts";

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
  const member = NAMED[method];
  const expected: [string, unknown][] = [
    ["mcp-protocol-version", claim],
    ["mcp-method", method],
    ...(member ? ([["mcp-name", params?.[member]]] as [string, unknown][]) : []),
  ];
  for (const [name, value] of expected) {
    const header = decoded(headers[name]?.toString());
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
