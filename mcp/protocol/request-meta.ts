import type { JSONRPCErrorResponse, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { CODES, failure } from "./error-response.ts";
import { META, MODERN } from "./versions.ts";

/** What is wrong with the `_meta` of a request that claims `version`; nothing when it can be served. */
export function envelopeFault(request: JSONRPCRequest, version: string): JSONRPCErrorResponse | undefined {
  if (version !== MODERN) {
    const data = { supported: [MODERN], requested: version };
    return failure(request.id, CODES.unsupportedVersion, "Unsupported protocol version", data);
  }
  const capabilities = request.params?._meta?.[META.capabilities];
  if (typeof capabilities === "object" && capabilities !== null) return undefined;
  return failure(request.id, CODES.invalidParams, `Invalid params: _meta needs ${META.capabilities}, an object`);
}
