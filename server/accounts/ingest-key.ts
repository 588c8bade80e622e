import { uuidv7 } from "uuidv7";
import type { Database } from "../../db/open.ts";
import { credentialsRevoked } from "../auth/credential-cache.ts";
import { mintIngestKey } from "../auth/key.ts";
import { notFound } from "../errors.ts";
import { audit } from "./audit.ts";
import { BOUNDS, takeRoom } from "./bound.ts";

/** An ingest key as owners see it later: never the key itself. */
export interface IngestKey {
  id: string;
  name: string;
  prefix: string;
  last4: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** An organization, and on whose behalf something is done there. */
interface Actor {
  organizationId: string;
  userId: string;
}

/** How much of a key is kept to recognise it by: `sk_` and four digits. */
const PREFIX_LENGTH = 7;

/**
 * Mints an ingest key of an organization. `key` is told this once; only its hash is kept.
 * @throws conflict `limit_reached` at 500 keys.
 */
export function createIngestKey(
  db: Database,
  input: Actor & { name: string },
): Promise<{ id: string; name: string; key: string; createdAt: Date }> {
  const { key, hash, last4 } = mintIngestKey();
  const { organizationId, userId, name } = input;
  const id = uuidv7();
  const createdAt = new Date();
  return db.transaction(async (trx) => {
    await takeRoom(trx, "ingestKeys", input);
    await trx.query({
      text: `insert into "ingestKey" (hash, id, "organizationId", name, prefix, last4, "createdAt")
             values ($1, $2, $3, $4, $5, $6, $7)`,
      values: [hash, id, organizationId, name, key.slice(0, PREFIX_LENGTH), last4, createdAt],
    });
    await audit(trx, { event: "ingestKey.created", organizationId, accountId: userId, detail: { id, name } });
    return { id, name, key, createdAt };
  });
}

/** An organization's ingest keys, newest first. */
export const listIngestKeys = (db: Database, organizationId: string): Promise<IngestKey[]> =>
  db.query({
    text: `select id, name, prefix, last4, "createdAt", "lastUsedAt" from "ingestKey"
            where "organizationId" = $1 order by id desc limit ${BOUNDS.ingestKeys.most}`,
    values: [organizationId],
  });

/**
 * Deletes an ingest key, at once and for good.
 * @throws notFound, also for a key of another organization.
 */
export async function deleteIngestKey(db: Database, { organizationId, userId }: Actor, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const [deleted] = await trx.query<{ name: string }>({
      text: `delete from "ingestKey" where "organizationId" = $1 and id = $2 returning name`,
      values: [organizationId, id],
    });
    if (!deleted) throw notFound("ingest key", id);
    const detail = { id, name: deleted.name };
    await audit(trx, { event: "ingestKey.deleted", organizationId, accountId: userId, detail });
  });
  credentialsRevoked(db);
}
