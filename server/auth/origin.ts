import type { IncomingMessage } from "node:http";
import type { Config } from "../config.ts";
import type { Runtime } from "../runtime.ts";

/** Response headers that a page of another origin may read. */
const EXPOSED = [
  "Retry-After",
  "X-Request-Id",
  "X-Complexity",
  ...["Requests", "Complexity"].flatMap((name) =>
    ["Limit", "Remaining", "Reset"].map((part) => `X-RateLimit-${name}-${part}`),
  ),
];
/**
 * Maximum time for which a browser caches a preflight response. A removed origin loses access when the cached preflight
 * response expires.
 */
const MAX_AGE_S = 600;

/**
 * CORS policy of GraphQL, the control plane and realtime. Allows the server's own origin and CORS_ORIGINS. Browser
 * credentials are not allowed: only a key in a header authorizes a request, never a cookie.
 */
export const corsPolicy = (runtime: Runtime, request: Request) => ({
  origin: allowedOrigins(runtime, request),
  methods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
  exposedHeaders: EXPOSED,
  maxAge: MAX_AGE_S,
  // An OPTIONS request without the preflight header is an ordinary request and is rejected as such.
  preflightContinue: !isPreflight(request),
});

/** The parts of a request that the policy uses. */
interface Request {
  method?: string | undefined;
  headers: IncomingMessage["headers"];
}

/** Returns true if the Host header of a request names this server. */
export type HostHeaderCheck = (request: Pick<IncomingMessage, "headers">) => boolean;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Protects against DNS rebinding: if a foreign page's host name resolves to a loopback address, the Host header still
 * contains the foreign name. A server on another address cannot know all its names, so the server checks the header
 * only if ALLOWED_HOSTS is set. Requests without a Host header are accepted, because every browser sends the header.
 */
export function createHostHeaderCheck({ HOST, PUBLIC_URL, ALLOWED_HOSTS }: Config): HostHeaderCheck {
  const bound = hostname(HOST.includes(":") ? `[${HOST}]` : HOST);
  const any = ALLOWED_HOSTS ? ALLOWED_HOSTS.includes("*") : !LOOPBACK.test(bound);
  if (any) return () => true;
  const named = new Set([bound, ...(ALLOWED_HOSTS ?? []), ...(PUBLIC_URL ? [new URL(PUBLIC_URL).hostname] : [])]);
  return ({ headers: { host } }) => {
    if (host === undefined) return true;
    const name = hostname(host);
    return LOOPBACK.test(name) || named.has(name);
  };
}

const hostname = (host: string): string => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "");

/**
 * Returns true if the origin of a request may connect. A browser opens a WebSocket without a preflight, so the server
 * checks the origin itself.
 */
export function isAllowedOrigin(runtime: Runtime, request: IncomingMessage): boolean {
  const { origin } = request.headers;
  const allowed = allowedOrigins(runtime, request);
  return origin === undefined || allowed === "*" || allowed.includes(origin);
}

/** A proxy may use https in front of a server without https, so the server's own host is allowed with both schemes. */
function allowedOrigins({ config }: Runtime, { headers }: Request): "*" | string[] {
  if (config.CORS_ORIGINS.includes("*")) return "*";
  const named = config.PUBLIC_URL ? [new URL(config.PUBLIC_URL).origin] : [];
  return [...config.CORS_ORIGINS, ...named, `http://${headers.host}`, `https://${headers.host}`];
}

const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
