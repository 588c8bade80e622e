import type { IncomingMessage } from "node:http";
import type { CorsOptions, CorsRequest } from "cors";
import type { Runtime } from "../runtime.ts";

/** What a page may read of an answer beside its body. */
const EXPOSED = [
  "Retry-After",
  "X-Request-Id",
  "X-Complexity",
  ...["Requests", "Complexity"].flatMap((name) =>
    ["Limit", "Remaining", "Reset"].map((part) => `X-RateLimit-${name}-${part}`),
  ),
];
/** How long a browser remembers a preflight's answer: an origin that is taken off the list is out that soon. */
const MAX_AGE_S = 600;

/**
 * Which pages may use GraphQL, the control plane and realtime: those of the server's own origin, and of CORS_ORIGINS.
 * Credentials stay off: a key in a header is all that counts, no cookie does.
 */
export const corsPolicy =
  (runtime: Runtime) =>
  (request: CorsRequest, decide: (error: null, options: CorsOptions) => void): void =>
    decide(null, {
      origin: allowedOrigins(runtime, request),
      methods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
      exposedHeaders: EXPOSED,
      maxAge: MAX_AGE_S,
      // OPTIONS without a preflight's header is an ordinary request, and refused as such.
      preflightContinue: !isPreflight(request),
    });

/** Whether the page that sends this, if it is a page, may. Browsers ask nobody before they open a WebSocket. */
export function mayConnect(runtime: Runtime, request: IncomingMessage): boolean {
  const { origin } = request.headers;
  const allowed = allowedOrigins(runtime, request);
  return origin === undefined || allowed === "*" || allowed.includes(origin);
}

/** A proxy in front may speak https where this server does not: the own host counts under both schemes. */
function allowedOrigins({ config }: Runtime, { headers }: CorsRequest): "*" | string[] {
  if (config.CORS_ORIGINS.includes("*")) return "*";
  const named = config.PUBLIC_URL ? [new URL(config.PUBLIC_URL).origin] : [];
  return [...config.CORS_ORIGINS, ...named, `http://${headers.host}`, `https://${headers.host}`];
}

const isPreflight = ({ method, headers }: CorsRequest): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
