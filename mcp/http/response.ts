import type { ServerResponse } from "node:http";
import { logWarning } from "../log.ts";

/** Refusal of a request before any method ran. The response is a JSON-RPC error without an id. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly code: number;

  constructor(status: number, message: string, headers: Record<string, string> = {}, code = -32600) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.code = code;
  }
}

/** Headers of the 401 response for an invalid key. */
export const INVALID_TOKEN_HEADERS = { "www-authenticate": 'Bearer error="invalid_token"' };

/** Next step for a user with an invalid key. */
export const CREATE_KEY_HINT = "Create a key on /settings or with POST /api/api-keys.";

/** Creates the 401 for an invalid OAuth token. */
export const createTokenRefusedError = (): HttpError =>
  new HttpError(
    401,
    "Trackway rejected this token because it is unknown, expired or revoked. Connect again.",
    INVALID_TOKEN_HEADERS,
  );

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  sendText(response, status, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

/** Sends text, which may be empty. Does nothing if the client has disconnected or already has a response. */
export function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  if (text === "") {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.from(text);
  response.writeHead(status, { ...headers, "content-length": bytes.length }).end(bytes);
}

/**
 * Sends an error. An HttpError is sent with its status and message, any other error as an internal error without
 * details.
 */
export function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof HttpError) {
    const body = { jsonrpc: "2.0", id: null, error: { code: error.code, message: error.message } };
    sendJson(response, error.status, body, error.headers);
    return;
  }
  logWarning(`unexpected: ${error instanceof Error ? error.stack : String(error)}`);
  sendJson(response, 500, { jsonrpc: "2.0", id: null, error: { code: -32603, message: "Internal error" } });
}
