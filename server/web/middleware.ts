import type Koa from "koa";
import { readAsset, readPage } from "./files.ts";
import { isPagePath, mayBePage } from "./paths.ts";

const ASSETS = "/assets/";

/**
 * Nothing runs but the app's own files, nothing is asked of other hosts, and no text becomes markup but what the
 * sanitizer made of it.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

/**
 * Answers the web app: one page at every path of its own, and the files that the page loads. Who opens another address in
 * a browser gets the page too, with status 404: it says that nothing is there, and where to go on.
 */
export const webMiddleware = (): Koa.Middleware => async (ctx, next) => {
  if (ctx.method !== "GET" && ctx.method !== "HEAD") return next();
  if (ctx.path.startsWith(ASSETS)) return (await answerAsset(ctx)) ? undefined : next();
  const found = isPagePath(ctx.path);
  if (!found && !(mayBePage(ctx.path) && ctx.accepts("json", "html") === "html")) return next();
  ctx.status = found ? 200 : 404;
  ctx.set({ "Content-Security-Policy": POLICY, "Cache-Control": "no-cache" });
  ctx.type = "html";
  ctx.body = await readPage();
};

/** A file's name holds a hash of what it says: it never changes. */
async function answerAsset(ctx: Koa.Context): Promise<boolean> {
  const name = ctx.path.slice(ASSETS.length);
  const found = await readAsset(name, ctx.acceptsEncodings("br", "identity") === "br");
  if (!found) return false;
  ctx.set({ "Cache-Control": "public, max-age=31536000, immutable", Vary: "Accept-Encoding" });
  ctx.type = name.slice(name.lastIndexOf("."));
  if (found.brotli) ctx.set("Content-Encoding", "br");
  ctx.body = found.body;
  return true;
}
