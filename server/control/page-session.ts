import type Koa from "koa";
import { isObject } from "../../formats/json.ts";
import { forbidden } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Route } from "./route.ts";

/**
 * A page sends this header with the value `cookie`. The server then stores the refresh token in a cookie that scripts
 * cannot read.
 */
const PAGE_HEADER = "X-Trackway-Session";

const LIFE_S = 30 * 24 * 60 * 60;
/** Time limit, in seconds, for users at their company's sign-in pages. */
const SIGN_IN_S = 15 * 60;

/**
 * Returns true if a request comes from the server's own pages and asks for the refresh token in a cookie.
 * @throws forbidden (403) if another page sent the request. Browsers add cookies automatically, so the origin must be
 * checked.
 */
export function isOwnPageRequest({ config }: Runtime, ctx: Koa.Context): boolean {
  if (ctx.get(PAGE_HEADER) !== "cookie") return false;
  const origin = ctx.get("Origin");
  const own = [
    `http://${ctx.host}`,
    `https://${ctx.host}`,
    ...(config.PUBLIC_URL ? [new URL(config.PUBLIC_URL).origin] : []),
  ];
  const site = ctx.get("Sec-Fetch-Site");
  if (own.includes(origin) && (site === "" || site === "same-origin")) return true;
  throw forbidden("Only pages of this server can use the login cookie.", "other_origin");
}

/** Returns the body of a page's request, completed with the secrets from the page's cookies that the route takes. */
export function addCookieSecretsToBody(route: Route, ctx: Koa.Context, body: unknown): unknown {
  if (!isObject(body)) return body;
  const refreshToken = route.takesRefreshToken && ctx.cookies.get(nameOf(ctx));
  const browser = route.takesBrowser && readBrowserSecret(ctx);
  return { ...(refreshToken && { refreshToken }), ...(browser && { browser }), ...body };
}

/** Moves secrets from a page's response into cookies. A logout clears the cookie of the refresh token. */
export function moveSecretsToCookies(route: Route, ctx: Koa.Context, reply: unknown): unknown {
  if (route.endsLogin) setCookie(ctx, "", 0);
  if (!isObject(reply)) return reply;
  const { refreshToken, browser, ...rest } = reply;
  if (typeof refreshToken === "string") setCookie(ctx, refreshToken, LIFE_S);
  if (typeof browser === "string") setBrowser(ctx, browser, SIGN_IN_S);
  return rest;
}

/**
 * Stores the refresh token of a login in a cookie. Used when the response goes to the browser itself instead of a
 * script.
 */
export function setRefreshTokenCookie(ctx: Koa.Context, refreshToken: string, secure: boolean): void {
  setCookie(ctx, refreshToken, LIFE_S, secure);
}

/** Returns the secret of the browser that began a sign-in at an OpenID provider. */
export const readBrowserSecret = (ctx: Koa.Context): string | undefined => ctx.cookies.get(browserName(ctx));

/** The cookie's name contains the port, because cookies do not distinguish ports and a machine may run two servers. */
const nameOf = (ctx: Koa.Context): string => `trackway_refresh_${portOf(ctx)}`;
const browserName = (ctx: Koa.Context): string => `trackway_browser_${portOf(ctx)}`;
const portOf = (ctx: Koa.Context): string => /:(\d+)$/.exec(ctx.host)?.[1] ?? "default";

/**
 * Sets the header directly. Behind a proxy with https, koa would refuse to set a secure cookie over the server's own
 * http.
 */
function setCookie(ctx: Koa.Context, value: string, seconds: number, secure = isSecure(ctx)): void {
  const rest = `Path=/api/auth; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  ctx.append("Set-Cookie", `${nameOf(ctx)}=${value}; ${rest}`);
}

/** SameSite=Lax, because browsers do not send a strict cookie when the provider's page redirects back. */
function setBrowser(ctx: Koa.Context, value: string, seconds: number): void {
  const rest = `Path=/api/auth/oidc; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(ctx) ? "; Secure" : ""}`;
  ctx.append("Set-Cookie", `${browserName(ctx)}=${value}; ${rest}`);
}

const isSecure = (ctx: Koa.Context): boolean => ctx.get("Origin").startsWith("https:");
