import { createHash } from "node:crypto";
import { compiled, knex, toStatement } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { endGrant } from "../../accounts/connection.ts";
import { hashKey, mintOAuthCode } from "../../auth/key.ts";
import type { OAuthScope } from "../../auth/scopes.ts";
import { newId } from "../../id.ts";

/** The rights that a person allowed a client. */
export interface Allowed {
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
export interface Presented {
  code: string;
  clientId: string;
  redirectUri: string | undefined;
  codeVerifier: string;
}

/**
 * Takes a code, once: the statement that reads the row also marks it, so that of parallel callers one gets it. Answers
 * "replayed" for a used code, and ends the tokens that it led to.
 */
export async function redeemCode(
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
