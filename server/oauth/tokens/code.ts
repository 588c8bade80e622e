import { createHash } from "node:crypto";
import { getMonotonicDate, getMonotonicEpochMs } from "../../../concurrency/held-clock.ts";
import { definePreparedStatement, knex, toStatement } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { writeAuditEntry } from "../../accounts/audit.ts";
import { lockAndCheckRowLimit } from "../../accounts/bound.ts";
import { revokeOAuthGrant } from "../../accounts/connection.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { hashKey, mintOAuthCode } from "../../auth/key.ts";
import type { OAuthScope } from "../../auth/principal.ts";
import { newId } from "../../id.ts";
import type { Runtime } from "../../runtime.ts";
import { validateResource } from "../authorization-request.ts";
import { redirectHost } from "../clients/redirect-uri.ts";
import { OAuthError } from "../failure.ts";
import type { Issuer } from "../issuer.ts";
import { type OAuthParameters, requireParameter } from "../parameters.ts";
import { createTokenPair, type TokenResponse } from "./refresh.ts";

/** The rights that a user granted to a client. */
interface Allowed {
  organizationId: string;
  userId: string;
  clientId: string;
  clientName: string;
  redirectUri: string;
  scopes: OAuthScope[];
  resource: string;
}

/** Lifetime of a code in ms. Clients exchange a code immediately. */
const CODE_MS = 60_000;

/** Stores the granted rights, and returns an authorization code. */
export async function createAuthorizationCode(
  trx: Transaction,
  allowed: Allowed & { codeChallenge: string },
): Promise<string> {
  const { key, hash } = mintOAuthCode();
  const expiresAt = new Date(getMonotonicEpochMs() + CODE_MS);
  await trx.query(toStatement(knex("oauthCode").insert({ ...allowed, hash, grantId: newId(), expiresAt })));
  return key;
}

/** A request to exchange a code. */
interface Presented {
  code: string;
  clientId: string;
  redirectUri: string | undefined;
  codeVerifier: string;
}

/**
 * Uses up a code. The statement that reads the row also marks the row as used, so that only one of several parallel
 * callers gets the code. For a used code, returns "replayed" and revokes the tokens that were issued for the code.
 */
async function redeemCode(
  trx: Transaction,
  { code, clientId, redirectUri, codeVerifier }: Presented,
): Promise<(Allowed & { grantId: string }) | "unknown" | "replayed"> {
  const hash = hashKey(code);
  const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const now = getMonotonicDate();
  const [taken] = await trx.query<Allowed & { grantId: string }>(
    takeCode({ hash, clientId, codeChallenge, redirectUri: redirectUri ?? null, now }),
  );
  if (taken) return taken;
  const [used] = await trx.query<{ organizationId: string; grantId: string }>(usedCode({ hash }));
  if (!used) return "unknown";
  await revokeOAuthGrant(trx, used, "connection.replayed");
  return "replayed";
}

const takeCode = definePreparedStatement(
  "take-oauth-code",
  ["hash", "clientId", "codeChallenge", "redirectUri", "now"],
  ({ hash, clientId, codeChallenge, redirectUri, now }) =>
    knex("oauthCode")
      .where({ hash, clientId, codeChallenge, usedAt: null })
      .whereRaw(`"redirectUri" = coalesce(?::text, "redirectUri")`, [redirectUri])
      .where("expiresAt", ">", now)
      .update({ usedAt: now })
      .returning([
        "organizationId",
        "userId",
        "clientId",
        "clientName",
        "redirectUri",
        "scopes",
        "resource",
        "grantId",
      ]),
);

const usedCode = definePreparedStatement("used-oauth-code", ["hash"], (by) =>
  knex("oauthCode").where(by).whereNotNull("usedAt").select("organizationId", "grantId"),
);

/** Exchanges a code for the first tokens of a connection. @throws OAuthError */
export async function exchangeCode(runtime: Runtime, issuer: Issuer, form: OAuthParameters): Promise<TokenResponse> {
  const presented = {
    code: requireParameter(form, "code"),
    clientId: requireParameter(form, "client_id"),
    redirectUri: form.get("redirect_uri"),
    codeVerifier: requireParameter(form, "code_verifier"),
  };
  if (!/^[\w.~-]{43,128}$/.test(presented.codeVerifier)) throw new OAuthError("invalid_grant", NO_LONGER_GOOD);
  const resource = form.get("resource");
  if (resource !== undefined) validateResource(issuer.resources, resource);
  // The transaction returns a replay as an outcome. An error would roll back the revocation, which must be committed.
  const outcome = await runtime.db.transaction((trx) => connect(trx, presented, resource));
  if (outcome === "replayed") invalidateCredentialCache(runtime.db);
  if (outcome === "elsewhere") throw new OAuthError("invalid_target", "The code was issued for another resource.");
  if (typeof outcome === "string") throw new OAuthError("invalid_grant", NO_LONGER_GOOD);
  return outcome;
}

const NO_LONGER_GOOD =
  "The code is unknown, expired or already used, or the client_id, redirect_uri or code_verifier does not match the code; authorize again.";

async function connect(
  trx: Transaction,
  presented: Presented,
  resource: string | undefined,
): Promise<TokenResponse | "unknown" | "replayed" | "elsewhere"> {
  const code = await redeemCode(trx, presented);
  if (typeof code === "string") return code;
  if (resource !== undefined && resource !== code.resource) return "elsewhere";
  const { organizationId, userId, clientId, grantId, scopes } = code;
  // Takes the same lock mode as `lockAndCheckRowLimit` below. With a shared lock here, two transactions would deadlock.
  const [member] = await trx.query(
    toStatement(knex("user").where({ organizationId, id: userId, active: true }).forNoKeyUpdate().select("id")),
  );
  if (!member) return "unknown";
  const now = getMonotonicDate();
  await lockAndCheckRowLimit(trx, "connections", { organizationId, userId });
  await trx.query(toStatement(knex("oauthGrant").insert(grantRow(code, now))));
  await trx.query(toStatement(knex("oauthClient").where({ id: clientId }).update({ usedAt: now })));
  const detail = { id: grantId, clientId, scopes };
  await writeAuditEntry(trx, { event: "connection.made", organizationId, accountId: userId, detail });
  return createTokenPair(trx, { organizationId, grantId, scopes }, now);
}

const grantRow = ({ grantId, redirectUri, ...code }: Allowed & { grantId: string }, now: Date) => ({
  ...code,
  id: grantId,
  redirectHost: redirectHost(redirectUri),
  createdAt: now,
  lastUsedAt: now,
});
