import type { IncomingMessage } from "node:http";
import type { Config } from "../config.ts";
import type { Runtime } from "../runtime.ts";

/** The headers that a page may read of an answer. */
const EXPOSED = [
  "Retry-After",
  "X-Request-Id",
  "X-Complexity",
  ...["Requests", "Complexity"].flatMap((name) =>
    ["Limit", "Remaining", "Reset"].map((part) => `X-RateLimit-${name}-${part}`),
  ),
];
/** The time for which a browser remembers a preflight's answer. An origin taken off the list is out that soon. */
const MAX_AGE_S = 600;

/**
 * Admits pages to GraphQL, the control plane and realtime: those of the server's own origin and of CORS_ORIGINS.
 * Credentials stay off: only a key in a header counts, no cookie does.
 */
export const corsPolicy = (runtime: Runtime, request: Request) => ({
  origin: allowedOrigins(runtime, request),
  methods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
  exposedHeaders: EXPOSED,
  maxAge: MAX_AGE_S,
  // OPTIONS without a preflight's header is an ordinary request, and refused as such.
  preflightContinue: !isPreflight(request),
});

/** The parts of a request that the policy asks for. */
interface Request {
  method?: string | undefined;
  headers: IncomingMessage["headers"];
}

/** Says whether a request is for this server, by the host that it names. */
export type HostRule = (request: Pick<IncomingMessage, "headers">) => boolean;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The defence against DNS rebinding: a foreign page whose name is bound to a loopback address sends its own host. Other
 * servers cannot know all their names, so they check only ALLOWED_HOSTS. No browser leaves the host out.
 */
export function hostRule({ HOST, PUBLIC_URL, ALLOWED_HOSTS }: Config): HostRule {
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

/** Tells whether the page that sends this, if it is a page, may connect. Browsers ask nobody before they open a WebSocket. */
export function mayConnect(runtime: Runtime, request: IncomingMessage): boolean {
  const { origin } = request.headers;
  const allowed = allowedOrigins(runtime, request);
  return origin === undefined || allowed === "*" || allowed.includes(origin);
}

/** A proxy in front may speak https where this server does not: the own host counts under both schemes. */
function allowedOrigins({ config }: Runtime, { headers }: Request): "*" | string[] {
  if (config.CORS_ORIGINS.includes("*")) return "*";
  const named = config.PUBLIC_URL ? [new URL(config.PUBLIC_URL).origin] : [];
  return [...config.CORS_ORIGINS, ...named, `http://${headers.host}`, `https://${headers.host}`];
}

const isPreflight = ({ method, headers }: Request): boolean =>
  method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
