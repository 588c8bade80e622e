import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type Koa from "koa";

/** Content Security Policy: allows only the documentation's own script, and requests only to this server. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
/**
 * Names of files that the build creates. A matching name cannot lead to another folder, and is not longer than file
 * systems allow.
 */
const NAME = /^(?:(?:decisions|pictures|reference)\/)?[\w-]{1,100}(?:\.[a-z0-9]{1,10})?$/;
const PICTURE = /\.(webp|svg)$/;
/** Names that contain a hash of the file's content. Browsers may cache a file with a hash in its name for a year. */
const FOR_GOOD = /-[0-9a-f]{10}\.(css|js|json)$/;

const inflate = promisify(brotliDecompress);

/** Serves the documentation at /docs, each page also as Markdown (`/docs/mcp.md`), and /llms.txt. */
export const createDocsMiddleware = (): Koa.Middleware => async (ctx, next) => {
  if (ctx.method !== "GET" && ctx.method !== "HEAD") return next();
  const name = nameOf(ctx.path);
  const body = name === undefined ? undefined : await readDocs(PICTURE.test(name) ? name : `${name}.br`);
  if (name === undefined || !body) return next();
  ctx.type = extname(name) === ".md" ? "text/markdown; charset=utf-8" : extname(name);
  ctx.set("Cache-Control", FOR_GOOD.test(name) ? "public, max-age=31536000, immutable" : "no-cache");
  if (extname(name) === ".html") ctx.set("Content-Security-Policy", POLICY);
  if (PICTURE.test(name)) {
    ctx.body = body;
    return;
  }
  ctx.vary("Accept-Encoding");
  const packed = ctx.acceptsEncodings("br", "identity") === "br";
  if (packed) ctx.set("Content-Encoding", "br");
  ctx.body = packed ? body : await inflate(body);
};

/** Returns the name of the file in dist/docs for a URL path. Returns undefined for an unknown path. */
function nameOf(path: string): string | undefined {
  if (path === "/llms.txt") return "llms.txt";
  if (path === "/docs" || path === "/docs/") return "index.html";
  const name = path.startsWith("/docs/") ? path.slice("/docs/".length) : "";
  if (!NAME.test(name)) return undefined;
  return extname(name) === "" ? `${name}.html` : name;
}

/** Reads a file without a cache, because the files are small and rarely requested. */
async function readDocs(name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(fileURLToPath(import.meta.resolve(`#docs/${name}`)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
