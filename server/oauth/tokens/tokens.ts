import { compiled, knex } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { REFRESH_MS } from "../../accounts/login/tokens.ts";
import { mintOAuthRefreshToken, mintOAuthToken } from "../../auth/key.ts";
import type { OAuthScope } from "../../auth/scopes.ts";

/** Life of an access token in seconds. */
const ACCESS_SECONDS = 15 * 60;

/** The token endpoint's answer to a client. */
export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
}

/** The grant that tokens belong to. */
export interface Grant {
  organizationId: string;
  grantId: string;
  scopes: OAuthScope[];
}

/** Makes the next pair of tokens of a grant; the refresh token follows `parentHash`. Only their hashes are kept. */
export async function issueTokens(
  trx: Transaction,
  { organizationId, grantId, scopes }: Grant,
  now: Date,
  parentHash: Buffer | null = null,
): Promise<TokenResponse> {
  const access = mintOAuthToken();
  const refresh = mintOAuthRefreshToken();
  const row = { organizationId, grantId, createdAt: now };
  const lives = { access: ACCESS_SECONDS * 1000, refresh: REFRESH_MS };
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

const insertToken = compiled(
  "insert-oauth-token",
  ["hash", "organizationId", "grantId", "kind", "parentHash", "createdAt", "expiresAt"],
  (row) => knex("oauthToken").insert(row),
);
