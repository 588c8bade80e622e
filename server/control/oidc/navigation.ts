import type Koa from "koa";
import { isUuid } from "../../../formats/uuid.ts";
import { tokenPair } from "../../accounts/login/tokens.ts";
import { AppError, inputError, notFound } from "../../errors.ts";
import { readForm } from "../../request-body.ts";
import type { Runtime } from "../../runtime.ts";
import { browserOf, keepRefreshToken } from "../page-session.ts";
import { logOutBy } from "./logout.ts";
import { finishSignIn, type Outcome } from "./sign-in.ts";

const CALLBACK = "/api/auth/oidc/callback";
const LOGOUT = "/api/auth/oidc/logout/";

/** The paths that a provider leads a browser to, or calls by itself: what comes there is no JSON. */
export const oidcPaths: readonly string[] = [CALLBACK, `${LOGOUT}:organizationId`];

/** Answers the provider's callback and its logout. @returns false for every other path */
export async function answerOidc(runtime: Runtime, ctx: Koa.Context): Promise<boolean> {
  if (ctx.path !== CALLBACK && !ctx.path.startsWith(LOGOUT)) return false;
  ctx.set("Cache-Control", "no-store");
  if (ctx.path === CALLBACK) await answerCallback(runtime, ctx);
  else await answerLogout(runtime, ctx);
  return true;
}

async function answerCallback(runtime: Runtime, ctx: Koa.Context): Promise<void> {
  checkMethod(ctx, "GET");
  const outcome = await finishSignIn(runtime, ctx.querystring, browserOf(ctx));
  if ("grant" in outcome) {
    const { refreshToken } = await tokenPair(runtime.secret, outcome.grant);
    keepRefreshToken(ctx, refreshToken, runtime.publicUrl.startsWith("https:"));
  }
  // Paths of this server alone: where to was checked when the sign-in began.
  ctx.status = 303;
  ctx.set("Location", runtime.publicUrl + placeOf(outcome));
}

/** The page reads what follows `#`, and no server gets it. */
function placeOf(outcome: Outcome): string {
  if ("grant" in outcome) return outcome.returnTo;
  return "confirm" in outcome ? `/#confirm=${outcome.confirm}` : `/#refused=${outcome.refused}`;
}

async function answerLogout(runtime: Runtime, ctx: Koa.Context): Promise<void> {
  checkMethod(ctx, "POST");
  const organizationId = ctx.path.slice(LOGOUT.length);
  if (!isUuid(organizationId)) throw notFound("sign-in", organizationId);
  const token = new URLSearchParams(await readForm(ctx)).get("logout_token");
  if (!token) throw inputError("logout_token is missing.", "logout_token");
  await logOutBy(runtime, { organizationId, token, address: ctx.ip });
  ctx.status = 200;
  ctx.body = "";
}

function checkMethod(ctx: Koa.Context, method: string): void {
  if (ctx.method === method) return;
  throw new AppError("method", `${ctx.path} takes ${method}.`, { headers: { Allow: method } });
}
