import cors from "cors";
import type Koa from "koa";
import { corsPolicy } from "../auth/origin.ts";
import type { Runtime } from "../runtime.ts";

const SERVED = /^\/(graphql$|api\/)/;

/** Answers preflights, and lets browsers show answers to the pages that may see them. */
export function corsHeaders(runtime: Runtime): Koa.Middleware {
  const apply = cors(corsPolicy(runtime));
  return (ctx, next) => {
    if (!SERVED.test(ctx.path)) return next();
    // Programs that are no browsers name no origin, and are most of the callers: for them there is only this to say.
    if (ctx.headers.origin === undefined && ctx.method !== "OPTIONS") {
      ctx.set("Vary", "Origin");
      return next();
    }
    let answered = true;
    apply(ctx.req, ctx.res, () => {
      answered = false;
    });
    return answered ? undefined : next();
  };
}
