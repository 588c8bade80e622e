import type Koa from "koa";
import { corsPolicy } from "../auth/origin.ts";
import type { Runtime } from "../runtime.ts";

const SERVED = /^\/(graphql$|api\/)/;

/** Answers preflights, and lets browsers show answers to the pages that may see them. */
export function corsHeaders(runtime: Runtime): Koa.Middleware {
  return (ctx, next) => {
    if (!SERVED.test(ctx.path)) return next();
    // Programs that are no browsers name no origin and are most of the callers: one header suffices for them.
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
    // Safari waits for a body unless its length is 0; koa takes that header away.
    ctx.res.writeHead(204, { "Content-Length": 0 }).end();
    return undefined;
  };
}

function allowOrigin(ctx: Koa.Context, allowed: "*" | string[]): void {
  const origin = allowed === "*" ? "*" : ctx.get("Origin");
  if (allowed.includes(origin)) ctx.set("Access-Control-Allow-Origin", origin);
  if (allowed !== "*") ctx.vary("Origin");
}
