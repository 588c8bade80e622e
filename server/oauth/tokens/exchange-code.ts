import { knex, toStatement } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { audit } from "../../accounts/audit.ts";
import { takeRoom } from "../../accounts/bound.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import type { Runtime } from "../../runtime.ts";
import { checkResource } from "../authorization-request.ts";
import { redirectHost } from "../clients/redirect-uri.ts";
import { OAuthError } from "../failure.ts";
import type { Issuer } from "../issuer.ts";
import { type Parameters, required } from "../parameters.ts";
import { type Allowed, type Presented, redeemCode } from "./code.ts";
import { issueTokens, type TokenResponse } from "./tokens.ts";

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
