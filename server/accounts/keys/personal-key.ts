import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { mintPersonalKey } from "../../auth/key.ts";
import { notFound } from "../../errors.ts";
import { audit } from "../audit.ts";
import { BOUNDS, takeRoom } from "../bound.ts";

/** A personal key as its holder sees it later: never the key itself. */
export interface PersonalKey {
  id: string;
  label: string;
  last4: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The moment from which it opens nothing; null for a key that holds until it is deleted. */
  expiresAt: Date | null;
}

/** Whose keys: a member of an organization. */
export interface Holder {
  organizationId: string;
  userId: string;
}

/**
 * Mints a personal key for a member. `token` is the key, shown this once; only its hash is kept.
 * @throws conflict `limit_reached` at 200 keys.
 */
export function createPersonalKey(
  db: Database,
  input: Holder & { label: string; expiresAt?: Date | undefined },
): Promise<{ id: string; label: string; token: string; createdAt: Date; expiresAt: Date | null }> {
  const { key, hash, last4 } = mintPersonalKey();
  const { organizationId, userId, label, expiresAt = null } = input;
  const id = uuidv7();
  const createdAt = new Date();
  return db.transaction(async (trx) => {
    await takeRoom(trx, "personalKeys", input);
    const row = { hash, id, organizationId, userId, label, last4, createdAt, expiresAt };
    await trx.query(toStatement(knex("apiKey").insert(row)));
    await audit(trx, { event: "apiKey.created", organizationId, accountId: userId, detail: { id, label, expiresAt } });
    return { id, label, token: key, createdAt, expiresAt };
  });
}

/** A member's own keys, newest first. */
export const listPersonalKeys = (db: Database, { organizationId, userId }: Holder): Promise<PersonalKey[]> =>
  db.query(
    toStatement(
      knex("apiKey")
        .where({ organizationId, userId })
        .orderBy("id", "desc")
        .limit(BOUNDS.personalKeys.most)
        .select("id", "label", "last4", "createdAt", "lastUsedAt", "expiresAt"),
    ),
  );

/**
 * Deletes one of a member's own keys, at once and for good.
 * @throws notFound, also for a key of somebody else.
 */
export async function deletePersonalKey(db: Database, { organizationId, userId }: Holder, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const removal = knex("apiKey").where({ organizationId, userId, id }).delete("label");
    const [deleted] = await trx.query<{ label: string }>(toStatement(removal));
    if (!deleted) throw notFound("API key", id);
    const detail = { id, label: deleted.label };
    await audit(trx, { event: "apiKey.deleted", organizationId, accountId: userId, detail });
  });
  credentialsRevoked(db);
}
