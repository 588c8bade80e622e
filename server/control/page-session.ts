import type Koa from "koa";
import { isObject } from "../../formats/json.ts";
import { forbidden } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Route } from "./route.ts";

/** A page sends this header with `cookie` and has its refresh token kept where no script can read it. */
const PAGE_HEADER = "X-Trackway-Session";

const LIFE_S = 30 * 24 * 60 * 60;
/** The time that people have at their company's pages. */
const SIGN_IN_S = 15 * 60;

/**
 * True when a request comes from the server's own pages and wants its refresh token in the cookie.
 * @throws forbidden (403) when another page sent it: browsers add cookies by themselves, so the origin is checked.
 */
export function isOfPage({ config }: Runtime, ctx: Koa.Context): boolean {
  if (ctx.get(PAGE_HEADER) !== "cookie") return false;
  const origin = ctx.get("Origin");
  const own = [
    `http://${ctx.host}`,
    `https://${ctx.host}`,
    ...(config.PUBLIC_URL ? [new URL(config.PUBLIC_URL).origin] : []),
  ];
  const site = ctx.get("Sec-Fetch-Site");
  if (own.includes(origin) && (site === "" || site === "same-origin")) return true;
  throw forbidden("The cookie of a login is for this server's own pages.", "other_origin");
}

/** The body of a request from a page: where the route takes a refresh token, the cookie's. */
export function withCookie(route: Route, ctx: Koa.Context, body: unknown): unknown {
  if (!isObject(body)) return body;
  const refreshToken = route.takesRefreshToken && ctx.cookies.get(nameOf(ctx));
  const browser = route.takesBrowser && browserOf(ctx);
  return { ...(refreshToken && { refreshToken }), ...(browser && { browser }), ...body };
}

/** Takes the secrets out of an answer to a page and into cookies; a logout empties that of the refresh token. */
export function keepToken(route: Route, ctx: Koa.Context, reply: unknown): unknown {
  if (route.endsLogin) setCookie(ctx, "", 0);
  if (!isObject(reply)) return reply;
  const { refreshToken, browser, ...rest } = reply;
  if (typeof refreshToken === "string") setCookie(ctx, refreshToken, LIFE_S);
  if (typeof browser === "string") setBrowser(ctx, browser, SIGN_IN_S);
  return rest;
}

/** Keeps the refresh token of a login that an answer to a browser, not to a script, began. */
export function keepRefreshToken(ctx: Koa.Context, refreshToken: string, secure: boolean): void {
  setCookie(ctx, refreshToken, LIFE_S, secure);
}

/** The secret of the browser that began a sign-in at an OpenID provider. */
export const browserOf = (ctx: Koa.Context): string | undefined => ctx.cookies.get(browserName(ctx));

/** The port is in the name: cookies do not tell ports apart, and people run two servers on one machine. */
const nameOf = (ctx: Koa.Context): string => `trackway_refresh_${portOf(ctx)}`;
const browserName = (ctx: Koa.Context): string => `trackway_browser_${portOf(ctx)}`;
const portOf = (ctx: Koa.Context): string => /:(\d+)$/.exec(ctx.host)?.[1] ?? "default";

/** Written by hand: behind a proxy that speaks https, koa would refuse to send a secure cookie over its own http. */
function setCookie(ctx: Koa.Context, value: string, seconds: number, secure = isSecure(ctx)): void {
  const rest = `Path=/api/auth; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  ctx.append("Set-Cookie", `${nameOf(ctx)}=${value}; ${rest}`);
}

/** The provider's page leads back, and a strict cookie would not come with that. */
function setBrowser(ctx: Koa.Context, value: string, seconds: number): void {
  const rest = `Path=/api/auth/oidc; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(ctx) ? "; Secure" : ""}`;
  ctx.append("Set-Cookie", `${browserName(ctx)}=${value}; ${rest}`);
}

const isSecure = (ctx: Koa.Context): boolean => ctx.get("Origin").startsWith("https:");
