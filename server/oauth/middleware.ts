import type Koa from "koa";
import { AppError } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import { handleAuthorizeRequest, type PageResponder } from "./authorization-request.ts";
import { registerClient } from "./clients/registration.ts";
import { handleConsentDecision, handleConsentRequest } from "./consent.ts";
import { respondWithOAuthError } from "./failure.ts";
import { findIssuer, type Issuer, OAUTH_ENDPOINT_PATHS, resourceMetadata, serverMetadata } from "./issuer.ts";
import { handleIntrospectionRequest, handleRevocationRequest, handleTokenRequest } from "./tokens/token-endpoints.ts";

interface Endpoint {
  method: "GET" | "POST";
  /**
   * Allows requests from pages of any origin. The route reads no cookies and identifies callers only by the request
   * itself.
   */
  shared?: true;
  answer(runtime: Runtime, issuer: Issuer, ctx: Koa.Context, answerPage: PageResponder): Promise<void> | void;
}

const serverDocument: Endpoint = {
  method: "GET",
  shared: true,
  answer: (runtime, issuer, ctx) => show(ctx, serverMetadata(issuer, runtime)),
};
const resourceDocument: Endpoint = {
  method: "GET",
  shared: true,
  answer: (_, issuer, ctx) => show(ctx, resourceMetadata(issuer)),
};

const ENDPOINTS = new Map<string, Endpoint>([
  ["/.well-known/oauth-authorization-server", serverDocument],
  ["/.well-known/oauth-protected-resource", resourceDocument],
  ["/.well-known/oauth-protected-resource/mcp", resourceDocument],
  [OAUTH_ENDPOINT_PATHS.authorize, { method: "GET", answer: handleAuthorizeRequest }],
  ["/oauth/consent/request", { method: "POST", answer: handleConsentRequest }],
  ["/oauth/consent", { method: "POST", answer: handleConsentDecision }],
  [OAUTH_ENDPOINT_PATHS.token, { method: "POST", shared: true, answer: handleTokenRequest }],
  [
    OAUTH_ENDPOINT_PATHS.revoke,
    { method: "POST", shared: true, answer: (runtime, _, ctx) => handleRevocationRequest(runtime, ctx) },
  ],
  [
    OAUTH_ENDPOINT_PATHS.introspect,
    { method: "POST", answer: (runtime, _, ctx) => handleIntrospectionRequest(runtime, ctx) },
  ],
  [
    OAUTH_ENDPOINT_PATHS.register,
    { method: "POST", shared: true, answer: (runtime, _, ctx) => registerClient(runtime, ctx) },
  ],
]);

export const oauthPaths: readonly string[] = [...ENDPOINTS.keys()];

/**
 * Handles OAuth requests and passes other paths on. Passes all paths on while OAuth is off.
 * @param answerPage responds with the web app's consent page
 */
export function oauthMiddleware(runtime: Runtime, answerPage: PageResponder): Koa.Middleware {
  return async (ctx, next) => {
    const endpoint = ENDPOINTS.get(ctx.path);
    const issuer = endpoint && findIssuer(runtime);
    const closed = ctx.path === OAUTH_ENDPOINT_PATHS.register && runtime.config.OAUTH_REGISTRATION === "off";
    if (!endpoint || !issuer || closed) return next();
    // Responses contain tokens and codes, so caches must not store them.
    ctx.set("Cache-Control", "no-store");
    if (endpoint.shared && allowOrigins(ctx, endpoint)) return;
    try {
      checkMethod(ctx, endpoint);
      await endpoint.answer(runtime, issuer, ctx, answerPage);
    } catch (error) {
      respondWithOAuthError(runtime, ctx, error);
    }
  };
}

function show(ctx: Koa.Context, body: object): void {
  ctx.set("Cache-Control", "public, max-age=60");
  ctx.body = body;
}

/** @throws AppError method (405) */
function checkMethod(ctx: Koa.Context, { method }: Endpoint): void {
  if (ctx.method === method || (method === "GET" && ctx.method === "HEAD")) return;
  const allow = method === "GET" ? "GET, HEAD" : method;
  throw new AppError("method", `${ctx.path} takes ${allow}.`, { headers: { Allow: allow } });
}

/** Sets CORS headers. @returns true for a preflight, which needs no further response. */
function allowOrigins(ctx: Koa.Context, { method }: Endpoint): boolean {
  ctx.set({ "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin" });
  if (ctx.method !== "OPTIONS") return false;
  ctx.set({
    "Access-Control-Allow-Methods": method,
    "Access-Control-Allow-Headers": "Content-Type, Authorization, MCP-Protocol-Version",
    "Access-Control-Max-Age": "600",
  });
  ctx.status = 204;
  return true;
}
