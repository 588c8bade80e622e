import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { invalidateCredentialCache } from "../auth/credential-cache.ts";
import type { OAuthScope } from "../auth/principal.ts";
import { notFound } from "../errors.ts";
import { type Queryable, writeAuditEntry } from "./audit.ts";
import { ROW_LIMITS } from "./bound.ts";
import type { KeyHolder } from "./keys/personal-key.ts";

/** An app that a user allowed to act on their behalf in one organization. */
export interface ConnectedApp {
  id: string;
  /** Name that the app reported about itself. The name proves nothing about the app's identity. */
  clientName: string;
  clientId: string;
  /** Host of the redirect URL at which the app's sign-in ended. */
  redirectHost: string;
  scopes: OAuthScope[];
  createdAt: Date;
  lastUsedAt: Date;
}

/** Lists the apps that a member connected, newest first. */
export const listConnectedApps = (db: Database, { organizationId, userId }: KeyHolder): Promise<ConnectedApp[]> =>
  db.query(
    toStatement(
      knex("oauthGrant")
        .where({ organizationId, userId })
        .orderBy("id", "desc")
        .limit(ROW_LIMITS.connections.most)
        .select("id", "clientName", "clientId", "redirectHost", "scopes", "createdAt", "lastUsedAt"),
    ),
  );

/**
 * Revokes a member's own connection and its tokens.
 * @throws notFound, also for a connection of another member.
 */
export async function revokeConnectedApp(
  db: Database,
  { organizationId, userId }: KeyHolder,
  id: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    const [ended] = await trx.query(toStatement(knex("oauthGrant").where({ organizationId, userId, id }).delete("id")));
    if (!ended) throw notFound("connection", id);
    await writeAuditEntry(trx, { event: "connection.ended", organizationId, accountId: userId, detail: { id } });
  });
  invalidateCredentialCache(db);
}

/**
 * Revokes a grant because the grant's token was stolen, or because the grant's holder revoked the grant. Call
 * `invalidateCredentialCache` after the commit.
 */
export async function revokeOAuthGrant(
  trx: Queryable,
  { organizationId, grantId }: { organizationId: string; grantId: string },
  event: "connection.ended" | "connection.replayed",
): Promise<void> {
  const ending = knex("oauthGrant").where({ organizationId, id: grantId }).delete("userId");
  const [ended] = await trx.query<{ userId: string }>(toStatement(ending));
  if (ended) await writeAuditEntry(trx, { event, organizationId, accountId: ended.userId, detail: { id: grantId } });
}
