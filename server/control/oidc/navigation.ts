import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import type Koa from "koa";
import { z } from "zod";
import { getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { writeAuditEntry } from "../../accounts/audit.ts";
import { signTokenPair } from "../../accounts/login/tokens.ts";
import { ProviderFailure } from "../../accounts/oidc/connection.ts";
import {
  findLinkedAccount,
  revokeAccess,
  revokeProviderLogins,
  storeSingleUseValue,
} from "../../accounts/oidc/identity.ts";
import { getSignInProvider, type SignInProvider } from "../../accounts/oidc/provider.ts";
import { enforceLimitsIfThrottling, toNetworkKey } from "../../accounts/throttle.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { AppError, inputError, notFound } from "../../errors.ts";
import { readForm } from "../../request-body.ts";
import { endLeasesOfUser } from "../../resources/lease/expire.ts";
import type { Runtime } from "../../runtime.ts";
import { readBrowserSecret, setRefreshTokenCookie } from "../page-session.ts";
import { mutateAsMember } from "./admission.ts";
import { finishOidcSignIn, type SignInOutcome, withProviderConnection } from "./sign-in.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/**
 * Only signatures with a published key are accepted. Signatures with a shared secret would use the client secret,
 * which many people may know.
 */
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
/** Maximum age of a token, and tolerance for differing clocks, in seconds. */
const [MAX_AGE_S, TOLERANCE_S] = [5 * 60, 60];
const RATE = { most: 600, windowMs: 10 * 60 * 1000, refusal: "Too many logout tokens came from this network." };

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
 * Revokes the logins that a logout token names: the logins of a session at the provider, or all logins, keys and apps
 * of a user in the organization. A token can be used once.
 * @throws inputError with the same message for every invalid token
 */
async function logOutBy(
  runtime: Runtime,
  { organizationId, token, address }: { organizationId: string; token: string; address: string },
): Promise<void> {
  await enforceLimitsIfThrottling(runtime, { of: ["oidc logout", toNetworkKey(address)], ...RATE });
  const provider = await getSignInProvider(runtime, organizationId);
  const { sub, sid, jti, iat } = await verified(runtime, provider, token);
  const once = { organizationId, kind: "logout", parts: [provider.issuer, jti] } as const;
  const until = new Date(getMonotonicEpochMs() + (MAX_AGE_S + 2 * TOLERANCE_S) * 1000);
  if (!(await storeSingleUseValue(runtime.db, once, until))) throw refused();
  // The logout ends only logins that began before the token was issued.
  const before = new Date((iat + 1) * 1000);
  if (sid !== undefined) await endSession(runtime, { organizationId, sid, before });
  else await endPerson(runtime, { organizationId, issuer: provider.issuer, subject: String(sub) }, before);
  invalidateCredentialCache(runtime.db);
}

async function verified(runtime: Runtime, provider: SignInProvider, token: string): Promise<Claims> {
  const { issuer, clientId } = provider;
  try {
    return await withProviderConnection(runtime, provider, async ({ provider: configuration, readJson }) => {
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

const refused = () => inputError("The logout token is not valid, or was already used.", "logout_token");

async function endSession(
  { db }: Runtime,
  { organizationId, sid, before }: Record<"organizationId" | "sid", string> & { before: Date },
) {
  await db.transaction(async (trx) => {
    for (const accountId of await revokeProviderLogins(trx, { organizationId, oidcSession: sid }, before))
      await writeAuditEntry(trx, { event: "login.ended", organizationId, accountId, detail: { by: "oidc" } });
  });
}

/**
 * Revokes the access of a user whom the provider signed out. An unknown user is no error, because the user has no
 * access to revoke.
 */
async function endPerson(
  runtime: Runtime,
  person: Record<"organizationId" | "issuer" | "subject", string>,
  before: Date,
): Promise<void> {
  const account = await findLinkedAccount(runtime.db, person);
  if (!account) return;
  const { organizationId } = person;
  await mutateAsMember(runtime, organizationId, account.id, async (write) => {
    await revokeAccess(write, account.id, before);
    await endLeasesOfUser(write, account.id);
    const detail = { by: "oidc" };
    await writeAuditEntry(write.trx, { event: "oidc.loggedOut", organizationId, accountId: account.id, detail });
  });
}

const CALLBACK = "/api/auth/oidc/callback";
const LOGOUT = "/api/auth/oidc/logout/";

/**
 * Paths to which a provider redirects a browser, or which a provider calls itself. Requests to the paths contain no
 * JSON.
 */
export const oidcPaths: readonly string[] = [CALLBACK, `${LOGOUT}:organizationId`];

/** Handles the provider's callback and logout requests. @returns false for every other path */
export async function handleOidcCallbackOrLogout(runtime: Runtime, ctx: Koa.Context): Promise<boolean> {
  if (ctx.path !== CALLBACK && !ctx.path.startsWith(LOGOUT)) return false;
  ctx.set("Cache-Control", "no-store");
  if (ctx.path === CALLBACK) await answerCallback(runtime, ctx);
  else await answerLogout(runtime, ctx);
  return true;
}

async function answerCallback(runtime: Runtime, ctx: Koa.Context): Promise<void> {
  checkMethod(ctx, "GET");
  const outcome = await finishOidcSignIn(runtime, ctx.querystring, readBrowserSecret(ctx));
  if ("grant" in outcome) {
    const { refreshToken } = await signTokenPair(runtime.secret, outcome.grant);
    setRefreshTokenCookie(ctx, refreshToken, runtime.publicUrl.startsWith("https:"));
  }
  // Redirects the browser only to paths of the Trackway server. The path was validated when the sign-in began.
  ctx.status = 303;
  ctx.set("Location", runtime.publicUrl + placeOf(outcome));
}

/**
 * Returns the path to which the browser is redirected. A code or a refusal is in the part after `#`, which only the
 * page sees: browsers never send the part to a server.
 */
function placeOf(outcome: SignInOutcome): string {
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
