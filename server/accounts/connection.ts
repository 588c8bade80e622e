import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import type { OAuthScope } from "../auth/principal.ts";
import { notFound } from "../errors.ts";
import { audit, type Queryable } from "./audit.ts";
import { ROW_LIMITS } from "./bound.ts";
import type { Holder } from "./keys/personal-key.ts";

/** An app that a user allowed to act on their behalf in one organization. */
export interface ConnectedApp {
  id: string;
  /** Name that the app reported about itself. It proves nothing. */
  clientName: string;
  clientId: string;
  /** Host of the redirect URL at which the app's sign-in ended. */
  redirectHost: string;
  scopes: OAuthScope[];
  createdAt: Date;
  lastUsedAt: Date;
}

/** Lists the apps that a member connected, newest first. */
export const listConnections = (db: Database, { organizationId, userId }: Holder): Promise<ConnectedApp[]> =>
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
export async function revokeConnection(db: Database, { organizationId, userId }: Holder, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const [ended] = await trx.query(toStatement(knex("oauthGrant").where({ organizationId, userId, id }).delete("id")));
    if (!ended) throw notFound("connection", id);
    await audit(trx, { event: "connection.ended", organizationId, accountId: userId, detail: { id } });
  });
  credentialsRevoked(db);
}

/**
 * Revokes a grant because its token was stolen, or because its holder revoked it. Call `credentialsRevoked` after the
 * commit.
 */
export async function revokeGrant(
  trx: Queryable,
  { organizationId, grantId }: { organizationId: string; grantId: string },
  event: "connection.ended" | "connection.replayed",
): Promise<void> {
  const ending = knex("oauthGrant").where({ organizationId, id: grantId }).delete("userId");
  const [ended] = await trx.query<{ userId: string }>(toStatement(ending));
  if (ended) await audit(trx, { event, organizationId, accountId: ended.userId, detail: { id: grantId } });
}
