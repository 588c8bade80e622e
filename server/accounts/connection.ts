import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import type { OAuthScope } from "../auth/principal.ts";
import { notFound } from "../errors.ts";
import { audit, type Queryable } from "./audit.ts";
import { BOUNDS } from "./bound.ts";
import type { Holder } from "./keys/personal-key.ts";

/** A program that a person let act for them in one organization. */
export interface Connection {
  id: string;
  /** The name that the program gave itself. It proves nothing. */
  clientName: string;
  clientId: string;
  /** The host that its sign-in ended at. */
  redirectHost: string;
  scopes: OAuthScope[];
  createdAt: Date;
  lastUsedAt: Date;
}

/** The programs that a member connected, newest first. */
export const listConnections = (db: Database, { organizationId, userId }: Holder): Promise<Connection[]> =>
  db.query(
    toStatement(
      knex("oauthGrant")
        .where({ organizationId, userId })
        .orderBy("id", "desc")
        .limit(BOUNDS.connections.most)
        .select("id", "clientName", "clientId", "redirectHost", "scopes", "createdAt", "lastUsedAt"),
    ),
  );

/**
 * Ends one of a member's own connections: its tokens open nothing any more.
 * @throws notFound, also for one of somebody else.
 */
export async function endConnection(db: Database, { organizationId, userId }: Holder, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const [ended] = await trx.query(toStatement(knex("oauthGrant").where({ organizationId, userId, id }).delete("id")));
    if (!ended) throw notFound("connection", id);
    await audit(trx, { event: "connection.ended", organizationId, accountId: userId, detail: { id } });
  });
  credentialsRevoked(db);
}

/** Ends any grant: its token was stolen, or its holder gave it back. Call `credentialsRevoked` after the commit. */
export async function endGrant(
  trx: Queryable,
  { organizationId, grantId }: { organizationId: string; grantId: string },
  event: "connection.ended" | "connection.replayed",
): Promise<void> {
  const ending = knex("oauthGrant").where({ organizationId, id: grantId }).delete("userId");
  const [ended] = await trx.query<{ userId: string }>(toStatement(ending));
  if (ended) await audit(trx, { event, organizationId, accountId: ended.userId, detail: { id: grantId } });
}
