import type { ServerResponse } from "node:http";
import { logWarning } from "../log.ts";

/** A request refused before any method ran; the body is a JSON-RPC error without an id. */
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

/** The headers of a 401 for a key that is there, and of no use. */
export const INVALID_TOKEN = { "www-authenticate": 'Bearer error="invalid_token"' };

/** The next step after a bad key. */
export const CREATE_KEY = "Create one on /settings or with POST /api/api-keys.";

/** The refusal of a token of OAuth. */
export const tokenRefused = (): HttpError =>
  new HttpError(401, "Trackway refused this token: it is unknown, expired or was ended. Connect again.", INVALID_TOKEN);

/** Answers JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  sendText(response, status, JSON.stringify(body), { "content-type": "application/json", ...headers });
}

/** Answers a text, which may be empty; nothing once the client has left or has its answer. */
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

/** Answers whatever went wrong: an HttpError as it says, anything else as an internal error that tells nothing. */
export function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof HttpError) {
    const body = { jsonrpc: "2.0", id: null, error: { code: error.code, message: error.message } };
    sendJson(response, error.status, body, error.headers);
    return;
  }
  logWarning(`unexpected: ${error instanceof Error ? error.stack : String(error)}`);
  sendJson(response, 500, { jsonrpc: "2.0", id: null, error: { code: -32603, message: "Internal error" } });
}
