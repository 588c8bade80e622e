import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type Koa from "koa";
import { createCache } from "../cache.ts";
import { isPagePath, mayBePage } from "./paths.ts";

const PAGE = fileURLToPath(import.meta.resolve("#web/index.html"));
const FOLDER = join(dirname(PAGE), "assets");
const BROTLI = ".br";
/** The names that the build gives its files: none leads to another folder, and none is longer than a file system takes. */
const NAME = /^[\w-]{1,100}\.[a-z0-9]{1,10}$/;

const read = createCache<Buffer>({ name: "web", sizeOf: (body) => body.length });

/**
 * The page that every path of the app answers with. It is small and never kept: a build while this server runs takes the
 * files away that the page before names.
 */
const readPage = (): Promise<Buffer> => readFile(PAGE);

/** A file of the app, as brotli where the browser takes that; undefined for a name that is none. */
async function readAsset(name: string, brotli: boolean): Promise<{ body: Buffer; brotli: boolean } | undefined> {
  if (!NAME.test(name)) return undefined;
  const packed = brotli ? await readOnce(join(FOLDER, name + BROTLI)) : undefined;
  if (packed) return { body: packed, brotli: true };
  const body = await readOnce(join(FOLDER, name));
  return body && { body, brotli: false };
}

/** The name holds a hash of the content: once read, it is kept. */
async function readOnce(path: string): Promise<Buffer | undefined> {
  const known = read.get(path);
  if (known) return known;
  try {
    const body = await readFile(path);
    read.set(path, body);
    return body;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

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
