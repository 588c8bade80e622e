import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type Koa from "koa";
import { getOwnProperty } from "../../../formats/own.ts";
import { createCache, measureTextBytes } from "../../cache.ts";
import type { HeaderList } from "./reply.ts";

/** A file that the server sends unchanged. */
interface Asset {
  body: Buffer;
  etag: string;
}

const HERE = join(import.meta.dirname, "..", "pages");
/** Returns the path of a file that the build takes from a package. */
const asset = (name: string) => fileURLToPath(import.meta.resolve(`#assets/${name}`));

/** Paths of the page's files. GraphiQL is a bundle that needs React. */
const FILES: Readonly<Record<string, () => string>> = {
  "page.css": () => join(HERE, "page.css"),
  "page.js": () => join(HERE, "page.js"),
  "graphiql.min.css": () => asset("graphiql.min.css"),
  "graphiql.min.js": () => asset("graphiql.min.js"),
  "react.production.min.js": () => asset("react.production.min.js"),
  "react-dom.production.min.js": () => asset("react-dom.production.min.js"),
};

/** URL paths of the page's files. */
export const graphiqlAssetPaths: readonly string[] = Object.keys(FILES).map((name) => `/graphql/${name}`);

/** Content-Security-Policy of the page. GraphiQL sets style attributes and loads images and fonts from data URLs. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const read = createCache<Asset>({ name: "pages", sizeOf: ({ body, etag }) => body.length + measureTextBytes(etag) });

/** Reads a file when the first request asks for the file, because most servers never show the page. */
async function readAsset(path: string): Promise<Asset> {
  const known = read.get(path);
  if (known) return known;
  const body = await readFile(path);
  const fresh = { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 20)}"` };
  read.set(path, fresh);
  return fresh;
}

/** Returns true if a browser requests the developer page rather than a GraphQL response. */
export const wantsGraphiqlPage = (ctx: Koa.Context): boolean =>
  ctx.method === "GET" &&
  ctx.query.query === undefined &&
  ctx.accepts(["application/json", "text/html"]) === "text/html";

/** Sends GraphiQL's page with `headers` in addition to the page's own headers. */
export async function sendGraphiqlPage(ctx: Koa.Context, headers: HeaderList): Promise<void> {
  for (let at = 0; at < headers.length; at += 2) ctx.set(headers[at] ?? "", headers[at + 1] ?? "");
  ctx.set("Content-Security-Policy", POLICY);
  await answerFile(ctx, join(HERE, "graphiql.html"));
}

/** Sends a file of the page under /graphql/. @returns true if the path is a file of the page */
export async function sendGraphiqlAsset(ctx: Koa.Context): Promise<boolean> {
  const name = ctx.path.slice("/graphql/".length);
  const path = getOwnProperty(FILES, name);
  if (!path || (ctx.method !== "GET" && ctx.method !== "HEAD")) return false;
  await answerFile(ctx, path());
  return true;
}

async function answerFile(ctx: Koa.Context, path: string): Promise<void> {
  const { body, etag } = await readAsset(path);
  ctx.status = 200;
  ctx.type = path.slice(path.lastIndexOf("."));
  ctx.set({ ETag: etag, "Cache-Control": "no-cache" });
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = body;
}
