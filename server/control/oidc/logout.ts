import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { z } from "zod";
import { audit } from "../../accounts/audit.ts";
import { network } from "../../accounts/network.ts";
import { ProviderFailure } from "../../accounts/oidc/connection.ts";
import { accountOf, endAccess, endLogins } from "../../accounts/oidc/identity.ts";
import { noteOnce } from "../../accounts/oidc/once.ts";
import { providerOf, type SignInProvider } from "../../accounts/oidc/provider.ts";
import { countAgainst } from "../../accounts/rate.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { inputError } from "../../errors.ts";
import { endLeasesOf } from "../../resources/lease/expire.ts";
import type { Runtime } from "../../runtime.ts";
import { inOrganization } from "./admission.ts";
import { atProvider } from "./sign-in.ts";

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
export async function logOutBy(
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
