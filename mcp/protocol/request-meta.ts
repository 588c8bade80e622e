import type { JSONRPCErrorResponse, JSONRPCRequest } from "@modelcontextprotocol/sdk/types.js";
import { ERROR_CODES, errorResponse } from "./error-response.ts";
import { META, VERSION_2026 } from "./versions.ts";

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
