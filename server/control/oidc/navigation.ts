import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import type Koa from "koa";
import { z } from "zod";
import { isUuid } from "../../../formats/uuid.ts";
import { audit } from "../../accounts/audit.ts";
import { tokenPair } from "../../accounts/login/tokens.ts";
import { ProviderFailure } from "../../accounts/oidc/connection.ts";
import { accountOf, endAccess, endLogins, noteOnce } from "../../accounts/oidc/identity.ts";
import { providerOf, type SignInProvider } from "../../accounts/oidc/provider.ts";
import { countAgainst, network } from "../../accounts/throttle.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { AppError, inputError, notFound } from "../../errors.ts";
import { readForm } from "../../request-body.ts";
import { endLeasesOf } from "../../resources/lease/expire.ts";
import type { Runtime } from "../../runtime.ts";
import { browserOf, keepRefreshToken } from "../page-session.ts";
import { inOrganization } from "./admission.ts";
import { atProvider, finishSignIn, type Outcome } from "./sign-in.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** Signatures of a key that is published. A shared secret signs none: it would be the client's, which many may know. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** The age of a token, and the difference of two clocks, in seconds. */
const [MAX_AGE_S, TOLERANCE_S] = [5 * 60, 60];
const RATE = { most: 600, windowMs: 10 * 60 * 1000, refusal: "Too many logout tokens came from here." };

const claims = z
  .object({
    iat: z.number(),
    jti: z.string().min(1).max(255),
    sub: z.string().min(1).max(255).optional(),
    sid: z.string().min(1).max(255).optional(),
    events: z.object({ [EVENT]: z.object({}) }),
    nonce: z.never().optional(),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined);
type Claims = z.infer<typeof claims>;

/**
 * Ends what a logout token names: a session at the provider, with the login that it began; or a person, with all
 * logins, keys and programs in the organization. A token counts once.
 * @throws inputError for any token that is not good, in the same words
 */
async function logOutBy(
  runtime: Runtime,
  { organizationId, token, address }: { organizationId: string; token: string; address: string },
): Promise<void> {
  await countAgainst(runtime, { of: ["oidc logout", network(address)], ...RATE });
  const provider = await providerOf(runtime, organizationId);
  const { sub, sid, jti, iat } = await verified(runtime, provider, token);
  const once = { organizationId, kind: "logout", parts: [provider.issuer, jti] } as const;
  const until = new Date(Date.now() + (MAX_AGE_S + 2 * TOLERANCE_S) * 1000);
  if (!(await noteOnce(runtime.db, once, until))) throw refused();
  // Logins that began later are not meant.
  const before = new Date((iat + 1) * 1000);
  if (sid !== undefined) await endSession(runtime, { organizationId, sid, before });
  else await endPerson(runtime, { organizationId, issuer: provider.issuer, subject: String(sub) }, before);
  credentialsRevoked(runtime.db);
}

async function verified(runtime: Runtime, provider: SignInProvider, token: string): Promise<Claims> {
  const { issuer, clientId } = provider;
  try {
    return await atProvider(runtime, provider, async ({ provider: configuration, readJson }) => {
      const keys = (await readJson(String(configuration.serverMetadata().jwks_uri))) as JSONWebKeySet;
      const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
        issuer,
        audience: clientId,
        algorithms: ALGORITHMS,
        maxTokenAge: MAX_AGE_S,
        clockTolerance: TOLERANCE_S,
        requiredClaims: ["iat", "jti", "events"],
      });
      return claims.parse(payload);
    });
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    runtime.log.warn({ organizationId: provider.organizationId, reason: error.message }, "logout token refused");
    throw refused();
  }
}

const refused = () => inputError("The logout token is not good, or was used before.", "logout_token");

async function endSession(
  { db }: Runtime,
  { organizationId, sid, before }: Record<"organizationId" | "sid", string> & { before: Date },
) {
  await db.transaction(async (trx) => {
    for (const accountId of await endLogins(trx, { organizationId, oidcSession: sid }, before))
      await audit(trx, { event: "login.ended", organizationId, accountId, detail: { by: "oidc" } });
  });
}

/** Nobody's logout is no error: the caller's wish is already true. */
async function endPerson(
  runtime: Runtime,
  person: Record<"organizationId" | "issuer" | "subject", string>,
  before: Date,
): Promise<void> {
  const account = await accountOf(runtime.db, person);
  if (!account) return;
  const { organizationId } = person;
  await inOrganization(runtime, organizationId, account.id, async (write) => {
    await endAccess(write, account.id, before);
    await endLeasesOf(write, account.id);
    const detail = { by: "oidc" };
    await audit(write.trx, { event: "oidc.loggedOut", organizationId, accountId: account.id, detail });
  });
}

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
