import type Koa from "koa";
import { forbidden } from "../errors.ts";
import type { Runtime } from "../runtime.ts";
import type { Route } from "./route.ts";

/** A page sends this header with `cookie` and has its refresh token kept where no script can read it. */
export const PAGE_HEADER = "X-Trackway-Session";

const LIFE_S = 30 * 24 * 60 * 60;

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
  const refreshToken = route.takesRefreshToken && ctx.cookies.get(nameOf(ctx));
  return refreshToken && isObject(body) ? { refreshToken, ...body } : body;
}

/** Takes the refresh token out of an answer to a page and into the cookie; a logout empties that. */
export function keepToken(route: Route, ctx: Koa.Context, reply: unknown): unknown {
  if (route.endsLogin) setCookie(ctx, "", 0);
  if (!isObject(reply) || typeof reply["refreshToken"] !== "string") return reply;
  const { refreshToken, ...rest } = reply;
  setCookie(ctx, String(refreshToken), LIFE_S);
  return rest;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The port is in the name: cookies do not tell ports apart, and people run two servers on one machine. */
const nameOf = (ctx: Koa.Context): string => `trackway_refresh_${/:(\d+)$/.exec(ctx.host)?.[1] ?? "default"}`;

/** Written by hand: behind a proxy that speaks https, koa would refuse to send a secure cookie over its own http. */
function setCookie(ctx: Koa.Context, value: string, seconds: number): void {
  const secure = ctx.get("Origin").startsWith("https:") ? "; Secure" : "";
  ctx.append(
    "Set-Cookie",
    `${nameOf(ctx)}=${value}; Path=/api/auth; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
  );
}
