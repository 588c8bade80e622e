import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type Koa from "koa";
import { createCache } from "../cache.ts";
import { couldBePage, isWebAppPath } from "./paths.ts";

const PAGE = fileURLToPath(import.meta.resolve("#web/index.html"));
const FOLDER = join(dirname(PAGE), "assets");
const BROTLI = ".br";
/**
 * Names of files that the build creates. A matching name cannot lead to another folder, and is not longer than file
 * systems allow.
 */
const NAME = /^[\w-]{1,100}\.[a-z0-9]{1,10}$/;

const read = createCache<Buffer>({ name: "web", sizeOf: (body) => body.length });

/**
 * Reads the HTML page, which is the response for every path of the app. The page is not cached, because a build may run
 * while the server runs, and deletes the files that an older page refers to.
 */
const readPage = (): Promise<Buffer> => readFile(PAGE);

/** Returns a file of the app, compressed with brotli if the browser accepts brotli. Undefined for an unknown name. */
async function readAsset(name: string, brotli: boolean): Promise<{ body: Buffer; brotli: boolean } | undefined> {
  if (!NAME.test(name)) return undefined;
  const packed = brotli ? await readOnce(join(FOLDER, name + BROTLI)) : undefined;
  if (packed) return { body: packed, brotli: true };
  const body = await readOnce(join(FOLDER, name));
  return body && { body, brotli: false };
}

/**
 * Reads a file and keeps the content in the cache. Cached content never becomes outdated, because the file's name
 * contains a hash of the content.
 */
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

/**
 * Content Security Policy: allows only the app's own files, and requests only to this server. Only the sanitizer may
 * convert text to markup.
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
 * Serves the web app: the page at each of the app's paths, and the page's files. A browser gets the page at unknown
 * addresses too, with status 404; the page then reports that nothing exists at the address and offers links.
 */
export const createWebAppMiddleware = (): Koa.Middleware => async (ctx, next) => {
  if (ctx.method !== "GET" && ctx.method !== "HEAD") return next();
  if (ctx.path.startsWith(ASSETS)) return (await answerAsset(ctx)) ? undefined : next();
  if (!isOfDocument(ctx)) return next();
  const found = isWebAppPath(ctx.path);
  if (!found && !(couldBePage(ctx.path) && ctx.accepts("json", "html") === "html")) return next();
  if (!found) ctx.status = 404;
  await respondWithWebPage(ctx);
};

/**
 * Returns true if the browser may have requested a page. Browsers name the type of the requested resource in
 * `Sec-Fetch-Dest`, so a missing style sheet or script never gets the page as a response.
 */
const isOfDocument = (ctx: Koa.Context): boolean => /^(document|iframe|frame|empty|)$/.test(ctx.get("Sec-Fetch-Dest"));

/** Responds with the app's page. @param refusal reason to show instead of the app */
export async function respondWithWebPage(ctx: Koa.Context, refusal?: string): Promise<void> {
  ctx.set({ "Content-Security-Policy": POLICY, "Cache-Control": "no-cache" });
  ctx.type = "html";
  const page = await readPage();
  ctx.body =
    refusal === undefined ? page : page.toString().replace("<body>", () => `<body data-refusal="${escaped(refusal)}">`);
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * Responds with a file of the app. Browsers may cache the file for a year, because its name contains a hash of its
 * content. Returns false for an unknown name.
 */
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
