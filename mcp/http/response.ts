import type { ServerResponse } from "node:http";
import { report } from "../log.ts";

/** A request refused before any method ran; the body is a JSON-RPC error without an id. */
export class Refusal extends Error {
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

/** Answers JSON, or nothing. */
export function send(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const text = Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, { "content-type": "application/json", "content-length": text.length, ...headers })
    .end(text);
}

/** Answers whatever went wrong: a Refusal as it says, anything else as an internal error that tells nothing. */
export function sendRefusal(response: ServerResponse, error: unknown): void {
  if (error instanceof Refusal) {
    const body = { jsonrpc: "2.0", id: null, error: { code: error.code, message: error.message } };
    send(response, error.status, body, error.headers);
    return;
  }
  report(`unexpected: ${error instanceof Error ? error.stack : String(error)}`);
  send(response, 500, { jsonrpc: "2.0", id: null, error: { code: -32603, message: "Internal error" } });
}
