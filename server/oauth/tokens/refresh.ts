import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import { definePreparedStatement, knex } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { revokeOAuthGrant } from "../../accounts/connection.ts";
import { REFRESH_TOKEN_LIFETIME_MS } from "../../accounts/login/tokens.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { hashKey, mintOAuthRefreshToken, mintOAuthToken } from "../../auth/key.ts";
import type { OAuthScope } from "../../auth/principal.ts";
import {
  createTokenFirstUseRecorder,
  judgeRefreshToken,
  type RefreshTokenState,
  refreshTokenStateColumns,
} from "../../auth/rotation.ts";
import type { Runtime } from "../../runtime.ts";
import { validateResource } from "../authorization-request.ts";
import { OAuthError } from "../failure.ts";
import type { Issuer } from "../issuer.ts";
import { type OAuthParameters, requireParameter } from "../parameters.ts";

/** Lifetime of an access token in seconds. */
const ACCESS_SECONDS = 15 * 60;

/** Response of the token endpoint. */
export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** The grant that tokens belong to. */
interface Grant {
  organizationId: string;
  grantId: string;
  scopes: OAuthScope[];
}

/**
 * Issues the next token pair of a grant. The refresh token succeeds `parentHash`. The server stores only the hashes.
 */
export async function createTokenPair(
  trx: Transaction,
  { organizationId, grantId, scopes }: Grant,
  now: Date,
  parentHash: Buffer | null = null,
): Promise<TokenResponse> {
  const access = mintOAuthToken();
  const refresh = mintOAuthRefreshToken();
  const row = { organizationId, grantId, createdAt: now };
  const lives = { access: ACCESS_SECONDS * 1000, refresh: REFRESH_TOKEN_LIFETIME_MS };
  const until = (ms: number) => new Date(now.getTime() + ms);
  await trx.query(
    insertToken({ ...row, hash: access.hash, kind: "access", parentHash: null, expiresAt: until(lives.access) }),
  );
  await trx.query(
    insertToken({ ...row, hash: refresh.hash, kind: "refresh", parentHash, expiresAt: until(lives.refresh) }),
  );
  return {
    access_token: access.key,
    token_type: "Bearer",
    expires_in: ACCESS_SECONDS,
    refresh_token: refresh.key,
    scope: scopes.join(" "),
  };
}

const insertToken = definePreparedStatement(
  "insert-oauth-token",
  ["hash", "organizationId", "grantId", "kind", "parentHash", "createdAt", "expiresAt"],
  (row) => knex("oauthToken").insert(row),
);

/** Exchanges a refresh token for the next pair. Repeated use revokes the connection (`judgeRefreshToken`). @throws OAuthError */
export async function refreshTokens(runtime: Runtime, issuer: Issuer, form: OAuthParameters): Promise<TokenResponse> {
  const hash = hashKey(requireParameter(form, "refresh_token"));
  const clientId = requireParameter(form, "client_id");
  const resource = form.get("resource");
  if (resource !== undefined) validateResource(issuer.resources, resource);
  // The transaction returns a replay as an outcome. An error would roll back the revocation, which must be committed.
  const outcome = await runtime.db.transaction((trx) => rotate(trx, hash, clientId));
  if (outcome === "replayed") invalidateCredentialCache(runtime.db);
  if (typeof outcome === "string") throw new OAuthError("invalid_grant", WORDS[outcome]);
  return outcome;
}

const NO_LONGER_GOOD =
  "The refresh token is unknown, expired, already used, or belongs to another app; authorize again.";
const WORDS = {
  unknown: NO_LONGER_GOOD,
  replayed: NO_LONGER_GOOD,
  retired: "Another request refreshed this token at the same time; use the token that the other request received.",
};

async function rotate(trx: Transaction, hash: Buffer, clientId: string): Promise<TokenResponse | keyof typeof WORDS> {
  const now = getMonotonicDate();
  const [named] = await trx.query<{ organizationId: string; grantId: string }>(grantOfToken({ hash }));
  const [grant] = named ? await trx.query<Grant>(lockGrant({ ...named, clientId })) : [];
  if (!grant) return "unknown";
  // Reads the token in a separate statement after the lock, so that the statement sees the writes of the transaction
  // that held the lock before.
  const [token] = await trx.query<RefreshTokenState>(readToken({ hash, now }));
  if (!token) return "unknown";
  const verdict = judgeRefreshToken(token, now);
  if (verdict === "retired") return verdict;
  if (verdict === "replayed") {
    await revokeOAuthGrant(trx, grant, "connection.replayed");
    return verdict;
  }
  await noteFirstUse(trx, token, now);
  await trx.query(touchGrant({ organizationId: grant.organizationId, id: grant.grantId, now }));
  return createTokenPair(trx, grant, now, hash);
}

const grantOfToken = definePreparedStatement("grant-of-refresh-token", ["hash"], ({ hash }) =>
  knex("oauthToken").where({ hash, kind: "refresh" }).select("organizationId", "grantId"),
);

/**
 * Locks the grant of a token, so that the grant's tokens are judged one after another. Finds no grant after the
 * user's membership ended.
 */
const lockGrant = definePreparedStatement(
  "lock-oauth-grant",
  ["organizationId", "grantId", "clientId"],
  ({ organizationId, grantId, clientId }) =>
    knex("oauthGrant as g")
      .join("user as u", { "u.organizationId": "g.organizationId", "u.id": "g.userId", "u.active": knex.raw("true") })
      .where({ "g.organizationId": organizationId, "g.id": grantId, "g.clientId": clientId })
      .forUpdate("g")
      .select("g.organizationId", "g.id as grantId", "g.scopes"),
);

const readToken = definePreparedStatement("read-oauth-token", ["hash", "now"], ({ hash, now }) =>
  knex("oauthToken as t")
    .where({ hash })
    .where("expiresAt", ">", now)
    .select(...refreshTokenStateColumns("oauthToken")),
);

const noteFirstUse = createTokenFirstUseRecorder("oauthToken");

const touchGrant = definePreparedStatement(
  "touch-oauth-grant",
  ["organizationId", "id", "now"],
  ({ organizationId, id, now }) => knex("oauthGrant").where({ organizationId, id }).update({ lastUsedAt: now }),
);
