import type Koa from "koa";
import { readAsset, readPage } from "./files.ts";
import { isPagePath, mayBePage } from "./paths.ts";

const ASSETS = "/assets/";

/** Only the app's own files run, no other host is asked, and only the sanitizer makes markup of text. */
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
 * Answers the web app: one page at every path of its own, and the page's files. A browser gets the page at any other
 * address too, with status 404: it says that nothing is there, and where to go on.
 */
export const webMiddleware = (): Koa.Middleware => async (ctx, next) => {
  if (ctx.method !== "GET" && ctx.method !== "HEAD") return next();
  if (ctx.path.startsWith(ASSETS)) return (await answerAsset(ctx)) ? undefined : next();
  if (!isOfDocument(ctx)) return next();
  const found = isPagePath(ctx.path);
  if (!found && !(mayBePage(ctx.path) && ctx.accepts("json", "html") === "html")) return next();
  if (!found) ctx.status = 404;
  await answerWebPage(ctx);
};

/** Browsers name the kind of answer that they want. A missing style or script is never answered with a page. */
const isOfDocument = (ctx: Koa.Context): boolean => /^(document|iframe|frame|empty|)$/.test(ctx.get("Sec-Fetch-Dest"));

/** Answers with the app's page. @param refusal why the page has nothing to offer but this sentence */
export async function answerWebPage(ctx: Koa.Context, refusal?: string): Promise<void> {
  ctx.set({ "Content-Security-Policy": POLICY, "Cache-Control": "no-cache" });
  ctx.type = "html";
  const page = await readPage();
  ctx.body =
    refusal === undefined ? page : page.toString().replace("<body>", () => `<body data-refusal="${escaped(refusal)}">`);
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** A file's name holds a hash of its content: it never changes. */
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
