import type Koa from "koa";
import type { Runtime } from "../runtime.ts";

/**
 * Answers are data unless a page says otherwise: the policy forbids everything, and pages set their own. The others are
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

/** Security headers for every response: names and values in turn. */
export const securityHeaders = ({ config }: Runtime): readonly string[] =>
  [...HEADERS, ...(config.PUBLIC_URL?.startsWith("https:") ? [HTTPS_ONLY] : [])].flat();

/** Puts headers on every response. */
export function setHeaders(headers: readonly string[]): Koa.Middleware {
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""] as const] : []));
  return (ctx, next) => {
    for (const [name, value] of pairs) ctx.res.setHeader(name, value);
    return next();
  };
}
