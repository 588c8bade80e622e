import type { JSONRPCErrorResponse, RequestId } from "@modelcontextprotocol/sdk/types.js";

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
