import type { ServerResponse } from "node:http";
import { AppError, STATUS } from "../../errors.ts";

type Headers = Record<string, string | number>;

/**
 * Ends a response with JSON. A string is JSON already, and bytes are of the type that `headers` give. Does nothing when
 * the caller has left.
 */
export function answer(response: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
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
  // A string leaves in one piece with the headers, a buffer in a second one.
  response.end(text);
}

/** The refusal of another method. */
export const onlyMethod = (allowed: string) =>
  new AppError("method", `Only ${allowed} is allowed here`, {
    tag: "method_not_allowed",
    headers: { Allow: allowed },
  });

/**
 * Ends a response with an error body, which never holds the request's body or a key. Without an error, something went
 * wrong on this side.
 */
export function answerError(response: ServerResponse, error: AppError | undefined, requestId: string): void {
  if (!error) {
    answer(response, 500, { error: "Something went wrong", code: "internal_error", request_id: requestId });
    return;
  }
  const { tag, field, limit, retryAfter, headers } = error.details;
  const body = { error: error.message, code: tag ?? error.kind, request_id: requestId, field, limit };
  answer(response, STATUS[error.kind], body, { ...headers, ...(retryAfter && { "Retry-After": retryAfter }) });
}
