import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type Koa from "koa";
import { AppError, STATUS } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { checkRequest, redirectUriOf } from "./authorization-request.ts";
import { knownClient } from "./clients/client.ts";
import { OAuthError } from "./failure.ts";
import type { Issuer } from "./issuer.ts";
import { parametersOf } from "./parameters.ts";

const read = (name: string) => readFileSync(join(import.meta.dirname, "pages", name));
const consent = read("consent.html");
const refusal = read("refusal.html").toString();
const script = read("consent.js");
const etag = `"${createHash("sha256").update(script).digest("base64url").slice(0, 20)}"`;

/** Nobody may frame the page, so that nobody can have it clicked unseen; it loads and asks of this server alone. */
const HEADERS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "Cache-Control": "no-store",
  // A program's page that opened this one in a window of its own waits to hear from the page we lead back to.
  "Cross-Origin-Opener-Policy": "unsafe-none",
};

/**
 * Shows the page on which a person decides, or what is wrong with the request. It never leads anywhere by itself: an
 * address that a stranger registered is gone to only by somebody who is signed in and decides to.
 */
export async function answerAuthorize(runtime: Runtime, issuer: Issuer, ctx: Koa.Context): Promise<void> {
  ctx.set(HEADERS);
  ctx.type = "html";
  try {
    const parameters = parametersOf(ctx.querystring);
    const { clientId } = checkRequest(issuer, parameters);
    const client = await knownClient(runtime, clientId);
    if (client) redirectUriOf(client, parameters);
    ctx.body = consent;
  } catch (error) {
    if (!(error instanceof OAuthError || error instanceof AppError)) throw error;
    ctx.status = error instanceof OAuthError ? 400 : STATUS[error.kind];
    ctx.body = refusal.replace("{{reason}}", () => escaped(error.message));
  }
}

/** The script of the page. */
export function answerScript(ctx: Koa.Context): void {
  ctx.set({ ETag: etag, "Cache-Control": "no-cache" });
  ctx.type = "js";
  ctx.status = 200;
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = script;
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
