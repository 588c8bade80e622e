import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { getMonotonicDate, getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { definePreparedStatement, knex } from "../../../db/builder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { hashKey } from "../../auth/key.ts";
import { ACCESS_TOKEN_LIFETIME_SECONDS, signAccessToken } from "../../auth/token.ts";
import type { Queryable } from "../audit.ts";

/** Tokens with which a client acts for an account. `expiresIn` is the access token's lifetime in seconds. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}

/** A stored refresh token that the client has not received yet. */
export interface IssuedRefreshToken {
  accountId: string;
  organizationId: string | null;
  loginId: string;
  refreshToken: string;
}

/** Lifetime of a refresh token, and of a login after its last use: 30 days, in ms. */
export const REFRESH_TOKEN_LIFETIME_MS = 30 * DAY_MS;

/**
 * Begins a login, which is a family of refresh tokens, and creates the first token.
 * @param oidc set for a login through the organization's OpenID provider; contains the id of the provider's session. A
 * login through a provider gives access only to the organization of the provider.
 */
export async function insertLoginWithRefreshToken(
  db: Queryable,
  who: { accountId: string; organizationId: string | null },
  oidc?: { session: string | null },
): Promise<IssuedRefreshToken> {
  const loginId = uuidv7();
  const now = getMonotonicEpochMs();
  const { accountId } = who;
  await db.query(
    insertLogin({
      id: loginId,
      accountId,
      organizationId: oidc && who.organizationId,
      oidcSession: oidc?.session,
      createdAt: new Date(now),
      expiresAt: new Date(now + REFRESH_TOKEN_LIFETIME_MS),
    }),
  );
  return addRefreshToken(db, { ...who, loginId });
}

/**
 * Adds a refresh token to a login. With `parentHash`, the new token replaces the token that has this hash. Without
 * `parentHash`, the new token begins a separate branch, for example for another organization. Tokens in different
 * branches are replaced independently, but revoking the login revokes all branches.
 */
export async function addRefreshToken(
  db: Queryable,
  grant: Omit<IssuedRefreshToken, "refreshToken">,
  parentHash: Buffer | null = null,
): Promise<IssuedRefreshToken> {
  const refreshToken = randomBytes(32).toString("base64url");
  const { loginId, organizationId } = grant;
  await db.query(
    insertToken({ hash: hashKey(refreshToken), loginId, parentHash, organizationId, createdAt: getMonotonicDate() }),
  );
  return { ...grant, refreshToken };
}

const insertLogin = definePreparedStatement(
  "insert-login",
  ["id", "accountId", "organizationId", "oidcSession", "createdAt", "expiresAt"],
  (row) => knex("login").insert(row),
);

const insertToken = definePreparedStatement(
  "insert-refresh-token",
  ["hash", "loginId", "parentHash", "organizationId", "createdAt"],
  (row) => knex("refreshToken").insert(row),
);

/** Signs the access token for a stored refresh token. */
export async function signTokenPair(secret: Uint8Array, grant: IssuedRefreshToken): Promise<TokenPair> {
  const accessToken = await signAccessToken(secret, grant);
  return { accessToken, refreshToken: grant.refreshToken, expiresIn: ACCESS_TOKEN_LIFETIME_SECONDS };
}
