import type Koa from "koa";
import { corsPolicy } from "../auth/origin.ts";
import type { Runtime } from "../runtime.ts";

const SERVED = /^\/(graphql$|api\/)/;

/** Responds to preflights, and lets pages of allowed origins read responses. */
export function createCorsMiddleware(runtime: Runtime): Koa.Middleware {
  return (ctx, next) => {
    if (!SERVED.test(ctx.path)) return next();
    // Most callers are programs that send no Origin. For callers without an Origin, a single header suffices.
    if (ctx.headers.origin === undefined && ctx.method !== "OPTIONS") {
      ctx.set("Vary", "Origin");
      return next();
    }
    const policy = corsPolicy(runtime, ctx.req);
    allowOrigin(ctx, policy.origin);
    ctx.set("Access-Control-Expose-Headers", policy.exposedHeaders.join());
    if (ctx.method !== "OPTIONS") return next();
    ctx.set("Access-Control-Allow-Methods", policy.methods.join());
    ctx.vary("Access-Control-Request-Headers");
    const asked = ctx.get("Access-Control-Request-Headers");
    if (asked) ctx.set("Access-Control-Allow-Headers", asked);
    ctx.set("Access-Control-Max-Age", String(policy.maxAge));
    if (policy.preflightContinue) return next();
    // Safari waits for a body unless Content-Length is 0, and koa removes that header.
    ctx.res.writeHead(204, { "Content-Length": 0 }).end();
    return undefined;
  };
}

function allowOrigin(ctx: Koa.Context, allowed: "*" | string[]): void {
  const origin = allowed === "*" ? "*" : ctx.get("Origin");
  if (allowed.includes(origin)) ctx.set("Access-Control-Allow-Origin", origin);
  if (allowed !== "*") ctx.vary("Origin");
}

/**
 * Responses are data by default, so the policy forbids everything; pages set their own policy. The other headers are
 * the defaults of helmet 8.
 */
const HEADERS = [
  ["Content-Security-Policy", "default-src 'none';frame-ancestors 'none'"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Origin-Agent-Cluster", "?1"],
  ["Referrer-Policy", "no-referrer"],
  ["X-Content-Type-Options", "nosniff"],
  ["X-DNS-Prefetch-Control", "off"],
  ["X-Download-Options", "noopen"],
  ["X-Frame-Options", "SAMEORIGIN"],
  ["X-Permitted-Cross-Domain-Policies", "none"],
  ["X-XSS-Protection", "0"],
];
const HTTPS_ONLY = ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"];

/** Security headers for every response, names and values in turn. */
export const securityHeaders = ({ config }: Runtime): readonly string[] =>
  [...HEADERS, ...(config.PUBLIC_URL?.startsWith("https:") ? [HTTPS_ONLY] : [])].flat();

/** Sets headers on every response. */
export function createHeadersMiddleware(headers: readonly string[]): Koa.Middleware {
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""] as const] : []));
  return (ctx, next) => {
    for (const [name, value] of pairs) ctx.res.setHeader(name, value);
    return next();
  };
}
