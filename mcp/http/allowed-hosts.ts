import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../config.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * True if the Host or the Origin of a request is one this server does not serve: the defence against DNS rebinding.
 * Loopback names and the address it is bound to are served, further ones as MCP_ALLOWED_HOSTS and MCP_ALLOWED_ORIGINS
 * list them (`*` for any).
 */
export function isForeignRequest(
  { host, allowedHosts, allowedOrigins }: Config,
  { headers }: IncomingMessage,
): boolean {
  const name = hostname(`http://${headers.host ?? ""}`);
  const served =
    name !== undefined && (LOOPBACK.has(name) || name === host || allowedHosts.some((it) => it === "*" || it === name));
  if (!served) return true;
  const { origin } = headers;
  if (origin === undefined) return false;
  const page = hostname(origin);
  return !(allowedOrigins.some((it) => it === "*" || it === origin) || (page !== undefined && LOOPBACK.has(page)));
}

/** Lets a page of an allowed origin read the answer. */
export function setCorsHeaders({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.origin === undefined) return;
  response.setHeader("access-control-allow-origin", headers.origin);
  response.setHeader("vary", "origin");
  response.setHeader("access-control-allow-methods", "POST");
  response.setHeader("access-control-allow-headers", headers["access-control-request-headers"] ?? "*");
  response.setHeader("access-control-expose-headers", "www-authenticate");
}

function hostname(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
