import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { mintIngestKey } from "../../auth/key.ts";
import { notFound } from "../../errors.ts";
import { audit } from "../audit.ts";
import { ROW_LIMITS, reserveRow } from "../bound.ts";

/** Options for the data that connectors send with an ingest key. */
export interface KeySettings {
  /** Omits the texts of users and models. */
  omitPrompts: boolean;
  /** Omits the arguments and results of tools. */
  omitToolContents: boolean;
  /** Keeps every span of an unknown service, instead of only the first span per hour. */
  keepUnknownSpans: boolean;
}

/** An ingest key as shown to owners, without the key itself. */
export interface IngestKey extends KeySettings {
  id: string;
  name: string;
  prefix: string;
  last4: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** An organization, and the user who acts in it. */
interface Actor {
  organizationId: string;
  userId: string;
}

/** Length of the shown prefix of a key: `sk_` and four digits. */
const PREFIX_LENGTH = 7;

/**
 * Creates an ingest key of an organization. `key` is returned only here; the server stores only its hash.
 * @throws conflict `limit_reached` at 500 keys.
 */
export function createIngestKey(
  db: Database,
  input: Actor & { name: string } & { [Name in keyof KeySettings]?: boolean | undefined },
): Promise<{ id: string; name: string; key: string; createdAt: Date } & KeySettings> {
  const { key, hash, last4 } = mintIngestKey();
  const {
    organizationId,
    userId,
    name,
    omitPrompts = false,
    omitToolContents = false,
    keepUnknownSpans = false,
  } = input;
  const settings = { omitPrompts, omitToolContents, keepUnknownSpans };
  const id = uuidv7();
  const createdAt = new Date();
  return db.transaction(async (trx) => {
    await reserveRow(trx, "ingestKeys", input);
    const row = { hash, id, organizationId, name, prefix: key.slice(0, PREFIX_LENGTH), last4, createdAt, ...settings };
    await trx.query(toStatement(knex("ingestKey").insert(row)));
    await audit(trx, { event: "ingestKey.created", organizationId, accountId: userId, detail: { id, name } });
    return { id, name, key, createdAt, ...settings };
  });
}

/** Lists an organization's ingest keys, newest first. */
export const listIngestKeys = (db: Database, organizationId: string): Promise<IngestKey[]> =>
  db.query(
    toStatement(
      knex("ingestKey")
        .where({ organizationId })
        .orderBy("id", "desc")
        .limit(ROW_LIMITS.ingestKeys.most)
        .select(...SHOWN),
    ),
  );

const SHOWN = [
  "id",
  "name",
  "prefix",
  "last4",
  "createdAt",
  "lastUsedAt",
  "omitPrompts",
  "omitToolContents",
  "keepUnknownSpans",
] as const;

/**
 * Changes the name or the options of an ingest key. The options apply to data sent from now on.
 * @throws notFound, also for a key of another organization.
 */
export function updateIngestKey(
  db: Database,
  { organizationId, userId }: Actor,
  id: string,
  changes: { [Name in keyof KeySettings | "name"]?: IngestKey[Name] | undefined },
): Promise<IngestKey> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return db.transaction(async (trx) => {
    const key = knex("ingestKey").where({ organizationId, id });
    const query = Object.keys(given).length > 0 ? key.update(given, [...SHOWN]) : key.select(...SHOWN);
    const [row] = await trx.query<IngestKey>(toStatement(query));
    if (!row) throw notFound("ingest key", id);
    await audit(trx, { event: "ingestKey.updated", organizationId, accountId: userId, detail: { id, ...given } });
    return row;
  });
}

/**
 * Deletes an ingest key, immediately and permanently.
 * @throws notFound, also for a key of another organization.
 */
export async function deleteIngestKey(db: Database, { organizationId, userId }: Actor, id: string): Promise<void> {
  await db.transaction(async (trx) => {
    const removal = knex("ingestKey").where({ organizationId, id }).delete("name");
    const [deleted] = await trx.query<{ name: string }>(toStatement(removal));
    if (!deleted) throw notFound("ingest key", id);
    const detail = { id, name: deleted.name };
    await audit(trx, { event: "ingestKey.deleted", organizationId, accountId: userId, detail });
  });
  credentialsRevoked(db);
}
