import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type Koa from "koa";
import { AppError } from "../errors.ts";
import { buildOpenApi, type OpenApiPart } from "./openapi.ts";
import { routes } from "./routes.ts";

/** A file that the server sends unchanged. */
interface Page {
  type: string;
  body: Buffer;
  etag: string;
  /** Content-Security-Policy of an HTML page. */
  policy?: string;
}

const HERE = join(import.meta.dirname, "pages");

/** Content-Security-Policy of the reference page, which sets style attributes and loads icons from data URLs. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const page = (type: string, body: Buffer, policy?: string): Page => ({
  type,
  body,
  etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 20)}"`,
  ...(policy && { policy }),
});

const file = (path: string, policy?: string): Page =>
  page(path.slice(path.lastIndexOf(".")), readFileSync(path), policy);

/** Reads a file that the build takes from a package. */
const asset = (name: string): Page => file(fileURLToPath(import.meta.resolve(`#assets/${name}`)));

const documentPath = "/api/openapi.json";

const pages = new Map<string, Page>([
  ["/api/docs", file(join(HERE, "docs.html"), DOCS_POLICY)],
  ["/api/docs/docs.js", file(join(HERE, "docs.js"))],
  ["/api/docs/swagger-ui.css", asset("swagger-ui.css")],
  ["/api/docs/swagger-ui-bundle.js", asset("swagger-ui-bundle.js")],
]);

export const referencePagePaths: readonly string[] = [...pages.keys(), documentPath];

/**
 * Creates the function that serves the reference pages and the OpenAPI document, without files of other servers. The
 * function returns true if the path is one of these pages, and throws an AppError `method` (405) for methods other than
 * GET and HEAD.
 * @param others the operations of other parts of the server
 */
export function createReferencePageHandler(others: OpenApiPart): (ctx: Koa.Context) => boolean {
  const document = page(".json", Buffer.from(JSON.stringify(buildOpenApi(routes, others))));
  return (ctx) => {
    const path = ctx.path.replace(/\/$/, "");
    const found = path === documentPath ? document : pages.get(path);
    if (!found) return false;
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      throw new AppError("method", `${ctx.path} takes GET, HEAD.`, { headers: { Allow: "GET, HEAD" } });
    }
    ctx.status = 200;
    ctx.type = found.type;
    ctx.set({ ETag: found.etag, "Cache-Control": "no-cache" });
    if (found.policy) ctx.set("Content-Security-Policy", found.policy);
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = found.body;
    return true;
  };
}
