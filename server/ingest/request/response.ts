import type { ServerResponse } from "node:http";
import { AppError, HTTP_STATUS } from "../../errors.ts";

type Headers = Record<string, string | number>;

/**
 * Sends a complete HTTP response and ends the response. If `body` is a string, the string is sent as JSON. If `body` is
 * a buffer, `headers` must contain the media type. Does nothing if the caller has disconnected.
 */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
  if (response.headersSent || response.destroyed) return;
  if (status === 204) {
    response.writeHead(status, headers).end();
    return;
  }
  const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": length,
    ...headers,
  });
  // Text is not converted to a buffer, because Node.js sends a string together with the headers, but a buffer
  // separately.
  response.end(text);
}

export const methodNotAllowedError = (allowed: string) =>
  new AppError("method", `Only ${allowed} is allowed here`, {
    tag: "method_not_allowed",
    headers: { Allow: allowed },
  });

/**
 * Sends an error response. The body of the response never contains the request's body or a key. If `error` is
 * undefined, an internal error is reported.
 */
export function sendError(response: ServerResponse, error: AppError | undefined, requestId: string): void {
  if (!error) {
    sendJson(response, 500, { error: "Something went wrong", code: "internal_error", request_id: requestId });
    return;
  }
  const { tag, field, limit, retryAfter, headers } = error.details;
  const body = { error: error.message, code: tag ?? error.kind, request_id: requestId, field, limit };
  sendJson(response, HTTP_STATUS[error.kind], body, { ...headers, ...(retryAfter && { "Retry-After": retryAfter }) });
}
