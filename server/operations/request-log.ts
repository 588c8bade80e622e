import type Koa from "koa";
import type { Runtime } from "../http.ts";

/**
 * Logs one line a request: its id, method, path without the query, status and time in ms. Captured events go to the
 * debug level, since their number would drown the rest; failures of the server to the error level.
 */
export const requestLog =
  ({ log }: Runtime): Koa.Middleware =>
  (ctx, next) => {
    const begun = performance.now();
    ctx.res.once("close", () => {
      const level = levelOf(ctx);
      if (!log.isLevelEnabled(level)) return;
      const { method, path, status } = ctx;
      const ms = Math.round((performance.now() - begun) * 10) / 10;
      const cut = ctx.res.writableFinished ? {} : { cut: true };
      log[level]({ requestId: ctx.state.requestId, method, path, status, ms, ...cut }, "request");
    });
    return next();
  };

function levelOf(ctx: Koa.Context): "error" | "info" | "debug" {
  if (ctx.status >= 500 && ctx.status !== 503) return "error";
  return ctx.status < 400 && ctx.path.startsWith("/api/v1/") ? "debug" : "info";
}
