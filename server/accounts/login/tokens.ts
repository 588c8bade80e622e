import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { compiled, knex } from "../../../db/builder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { hashKey } from "../../auth/key.ts";
import { ACCESS_SECONDS, signAccessToken } from "../../auth/token.ts";
import type { Queryable } from "../audit.ts";

/** The tokens by which a client acts for an account. `expiresIn` is the access token's life in seconds. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}

/** A refresh token just stored, not yet handed out. */
export interface Grant {
  accountId: string;
  organizationId: string | null;
  loginId: string;
  refreshToken: string;
}

/** Life of a refresh token, and of a login after its last use, in ms: 30 days. */
export const REFRESH_MS = 30 * DAY_MS;

/**
 * Begins a login: a family of refresh tokens, with its first.
 * @param oidc set for a login by the organization's OpenID provider, with the name of the session there: it opens that
 * organization alone
 */
export async function openLogin(
  db: Queryable,
  who: { accountId: string; organizationId: string | null },
  oidc?: { session: string | null },
): Promise<Grant> {
  const loginId = uuidv7();
  const now = Date.now();
  const { accountId } = who;
  await db.query(
    insertLogin({
      id: loginId,
      accountId,
      organizationId: oidc && who.organizationId,
      oidcSession: oidc?.session,
      createdAt: new Date(now),
      expiresAt: new Date(now + REFRESH_MS),
    }),
  );
  return addRefreshToken(db, { ...who, loginId });
}

/**
 * Adds a refresh token to a login: the successor of `parentHash`, or without one the start of a branch of its own, as
 * when another organization is entered. Branches are rotated apart, but end together with the login.
 */
export async function addRefreshToken(
  db: Queryable,
  grant: Omit<Grant, "refreshToken">,
  parentHash: Buffer | null = null,
): Promise<Grant> {
  const refreshToken = randomBytes(32).toString("base64url");
  const { loginId, organizationId } = grant;
  await db.query(
    insertToken({ hash: hashKey(refreshToken), loginId, parentHash, organizationId, createdAt: new Date() }),
  );
  return { ...grant, refreshToken };
}

const insertLogin = compiled(
  "insert-login",
  ["id", "accountId", "organizationId", "oidcSession", "createdAt", "expiresAt"],
  (row) => knex("login").insert(row),
);

const insertToken = compiled(
  "insert-refresh-token",
  ["hash", "loginId", "parentHash", "organizationId", "createdAt"],
  (row) => knex("refreshToken").insert(row),
);

/** Signs the access token that goes with a stored refresh token. */
export async function tokenPair(secret: Uint8Array, grant: Grant): Promise<TokenPair> {
  const accessToken = await signAccessToken(secret, grant);
  return { accessToken, refreshToken: grant.refreshToken, expiresIn: ACCESS_SECONDS };
}
