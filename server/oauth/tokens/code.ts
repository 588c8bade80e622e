import { createHash } from "node:crypto";
import { compiled, knex, toStatement } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { audit } from "../../accounts/audit.ts";
import { takeRoom } from "../../accounts/bound.ts";
import { endGrant } from "../../accounts/connection.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { hashKey, mintOAuthCode } from "../../auth/key.ts";
import type { OAuthScope } from "../../auth/principal.ts";
import { newId } from "../../id.ts";
import type { Runtime } from "../../runtime.ts";
import { checkResource } from "../authorization-request.ts";
import { redirectHost } from "../clients/redirect-uri.ts";
import { OAuthError } from "../failure.ts";
import type { Issuer } from "../issuer.ts";
import { type Parameters, required } from "../parameters.ts";
import { issueTokens, type TokenResponse } from "./refresh.ts";

/** The rights that a person allowed a client. */
interface Allowed {
  organizationId: string;
  userId: string;
  clientId: string;
  clientName: string;
  redirectUri: string;
  scopes: OAuthScope[];
  resource: string;
}

/** A code lives so long: a client trades it at once. */
const CODE_MS = 60_000;

/** Stores an allowance, and answers the code for it. */
export async function issueCode(trx: Transaction, allowed: Allowed & { codeChallenge: string }): Promise<string> {
  const { key, hash } = mintOAuthCode();
  const expiresAt = new Date(Date.now() + CODE_MS);
  await trx.query(toStatement(knex("oauthCode").insert({ ...allowed, hash, grantId: newId(), expiresAt })));
  return key;
}

/** The request that redeems a code. */
interface Presented {
  code: string;
  clientId: string;
  redirectUri: string | undefined;
  codeVerifier: string;
}

/**
 * Takes a code, once: the statement that reads the row also marks it, so that of parallel callers one gets it. Answers
 * "replayed" for a used code, and ends the tokens that it led to.
 */
async function redeemCode(
  trx: Transaction,
  { code, clientId, redirectUri, codeVerifier }: Presented,
): Promise<(Allowed & { grantId: string }) | "unknown" | "replayed"> {
  const hash = hashKey(code);
  const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
  const now = new Date();
  const [taken] = await trx.query<Allowed & { grantId: string }>(
    takeCode({ hash, clientId, codeChallenge, redirectUri: redirectUri ?? null, now }),
  );
  if (taken) return taken;
  const [used] = await trx.query<{ organizationId: string; grantId: string }>(usedCode({ hash }));
  if (!used) return "unknown";
  await endGrant(trx, used, "connection.replayed");
  return "replayed";
}

const takeCode = compiled(
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

const usedCode = compiled("used-oauth-code", ["hash"], (by) =>
  knex("oauthCode").where(by).whereNotNull("usedAt").select("organizationId", "grantId"),
);

/** Trades a code for the first tokens of a connection. @throws OAuthError */
export async function exchangeCode(runtime: Runtime, issuer: Issuer, form: Parameters): Promise<TokenResponse> {
  const presented = {
    code: required(form, "code"),
    clientId: required(form, "client_id"),
    redirectUri: form.get("redirect_uri"),
    codeVerifier: required(form, "code_verifier"),
  };
  if (!/^[\w.~-]{43,128}$/.test(presented.codeVerifier)) throw new OAuthError("invalid_grant", NO_LONGER_GOOD);
  const resource = form.get("resource");
  if (resource !== undefined) checkResource(issuer.resources, resource);
  // A replay's end must commit, so it is answered and not thrown.
  const outcome = await runtime.db.transaction((trx) => connect(trx, presented, resource));
  if (outcome === "replayed") credentialsRevoked(runtime.db);
  if (outcome === "elsewhere") throw new OAuthError("invalid_target", "The code is for another resource.");
  if (typeof outcome === "string") throw new OAuthError("invalid_grant", NO_LONGER_GOOD);
  return outcome;
}

const NO_LONGER_GOOD =
  "The code is unknown, expired or used, or comes with another client_id, redirect_uri or code_verifier than it was made for; authorize again.";

async function connect(
  trx: Transaction,
  presented: Presented,
  resource: string | undefined,
): Promise<TokenResponse | "unknown" | "replayed" | "elsewhere"> {
  const code = await redeemCode(trx, presented);
  if (typeof code === "string") return code;
  if (resource !== undefined && resource !== code.resource) return "elsewhere";
  const { organizationId, userId, clientId, grantId, scopes } = code;
  // As strong a lock as the bound takes below: two that share it first would wait for each other.
  const [member] = await trx.query(
    toStatement(knex("user").where({ organizationId, id: userId, active: true }).forNoKeyUpdate().select("id")),
  );
  if (!member) return "unknown";
  const now = new Date();
  await takeRoom(trx, "connections", { organizationId, userId });
  await trx.query(toStatement(knex("oauthGrant").insert(grantRow(code, now))));
  await trx.query(toStatement(knex("oauthClient").where({ id: clientId }).update({ usedAt: now })));
  const detail = { id: grantId, clientId, scopes };
  await audit(trx, { event: "connection.made", organizationId, accountId: userId, detail });
  return issueTokens(trx, { organizationId, grantId, scopes }, now);
}

const grantRow = ({ grantId, redirectUri, ...code }: Allowed & { grantId: string }, now: Date) => ({
  ...code,
  id: grantId,
  redirectHost: redirectHost(redirectUri),
  createdAt: now,
  lastUsedAt: now,
});
