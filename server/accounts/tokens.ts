import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { hashKey } from "../auth/key.ts";
import { ACCESS_SECONDS, signAccessToken } from "../auth/token.ts";
import type { Queryable } from "./audit.ts";

/** What a client holds to act for an account. `expiresIn` is the access token's life in seconds. */
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
export const REFRESH_MS = 30 * 24 * 60 * 60 * 1000;

/** Begins a login: a family of refresh tokens, with its first. */
export async function openLogin(
  db: Queryable,
  who: { accountId: string; organizationId: string | null },
): Promise<Grant> {
  const loginId = uuidv7();
  const now = Date.now();
  await db.query({
    text: `insert into login (id, "accountId", "createdAt", "expiresAt") values ($1, $2, $3, $4)`,
    values: [loginId, who.accountId, new Date(now), new Date(now + REFRESH_MS)],
  });
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
  await db.query({
    text: `insert into "refreshToken" (hash, "loginId", "parentHash", "organizationId", "createdAt") values ($1, $2, $3, $4, $5)`,
    values: [hashKey(refreshToken), grant.loginId, parentHash, grant.organizationId, new Date()],
  });
  return { ...grant, refreshToken };
}

/** Signs the access token that goes with a stored refresh token. */
export async function tokenPair(secret: Uint8Array, grant: Grant): Promise<TokenPair> {
  const accessToken = await signAccessToken(secret, grant);
  return { accessToken, refreshToken: grant.refreshToken, expiresIn: ACCESS_SECONDS };
}
