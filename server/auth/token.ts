import { jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { getMonotonicDate, getMonotonicEpochMs } from "../../concurrency/held-clock.ts";

/** Claims of an access token. */
export interface AccessClaims {
  accountId: string;
  organizationId: string | null;
  /** The login (family of refresh tokens) of the token. Revoking the login also revokes the token. */
  loginId: string;
}

export const ACCESS_TOKEN_LIFETIME_SECONDS = 15 * 60;

/**
 * Maximum seconds by which a token's issue time may be in the future, because the clock of each server may be wrong by
 * 60 s. A token with a later time is rejected: the clock of the server that issued the token was set back since.
 */
const EARLY_SECONDS = 2 * 60;

const ALGORITHM = "HS256";
const ISSUER = "trackway";

/** Signs an access token that expires after 15 minutes. */
export function signAccessToken(secret: Uint8Array, claims: AccessClaims): Promise<string> {
  const now = Math.floor(getMonotonicEpochMs() / 1000);
  return new SignJWT({ sid: claims.loginId, ...(claims.organizationId && { org: claims.organizationId }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
    .setIssuer(ISSUER)
    .setSubject(claims.accountId)
    .setIssuedAt(now)
    .setExpirationTime(now + ACCESS_TOKEN_LIFETIME_SECONDS)
    .sign(secret);
}

/** The ids are passed to the database unchanged, so a signed token with malformed ids is rejected here. */
const claims = z.object({ sub: z.guid(), sid: z.guid(), org: z.guid().optional(), exp: z.number(), iat: z.number() });

/** Checks the signature, algorithm, issuer, expiry and form of the claims. Returns null for an invalid token. */
export async function verifyAccessToken(
  secret: Uint8Array,
  token: string,
): Promise<(AccessClaims & { expiresAt: number }) | null> {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      requiredClaims: ["sub", "sid", "exp", "iat"],
      currentDate: getMonotonicDate(),
    });
    const { sub, sid, org, exp, iat } = claims.parse(payload);
    if (iat > getMonotonicEpochMs() / 1000 + EARLY_SECONDS) return null;
    return { accountId: sub, loginId: sid, organizationId: org ?? null, expiresAt: exp * 1000 };
  } catch {
    return null;
  }
}
