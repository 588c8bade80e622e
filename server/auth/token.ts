import { jwtVerify, SignJWT } from "jose";
import { z } from "zod";

/** The claims of an access token. */
export interface AccessClaims {
  accountId: string;
  organizationId: string | null;
  /** The login (refresh-token family) the token belongs to: when that ends, so does the token. */
  loginId: string;
}

/** Lifetime of an access token in seconds. */
export const ACCESS_SECONDS = 15 * 60;

const ALGORITHM = "HS256";
const ISSUER = "trackway";

/** Signs an access token that lives 15 minutes. */
export function signAccessToken(secret: Uint8Array, claims: AccessClaims): Promise<string> {
  return new SignJWT({ sid: claims.loginId, ...(claims.organizationId && { org: claims.organizationId }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
    .setIssuer(ISSUER)
    .setSubject(claims.accountId)
    .setIssuedAt()
    .setExpirationTime(`${ACCESS_SECONDS}s`)
    .sign(secret);
}

/** The ids reach the database as they are: another form never gets there, even if it is signed. */
const claims = z.object({ sub: z.guid(), sid: z.guid(), org: z.guid().optional(), exp: z.number() });

/** Checks signature, algorithm, issuer, expiry and the form of the claims. Null for anything but a good token. */
export async function verifyAccessToken(
  secret: Uint8Array,
  token: string,
): Promise<(AccessClaims & { expiresAt: number }) | null> {
  try {
    const { payload } = await jwtVerify(token, secret, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      requiredClaims: ["sub", "sid", "exp", "iat"],
    });
    const { sub, sid, org, exp } = claims.parse(payload);
    return { accountId: sub, loginId: sid, organizationId: org ?? null, expiresAt: exp * 1000 };
  } catch {
    return null;
  }
}
