import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { credentialsRevoked } from "../../auth/credential-cache.ts";
import { mintIngestKey } from "../../auth/key.ts";
import { notFound } from "../../errors.ts";
import { audit } from "../audit.ts";
import { BOUNDS, takeRoom } from "../bound.ts";

/** The parts that are kept of what connectors of agents send with an ingest key. */
export interface KeySettings {
  /** Leaves out the texts of people and models. */
  omitPrompts: boolean;
  /** Leaves out the arguments and answers of tools. */
  omitToolContents: boolean;
  /** Keeps every span of a service that no convention knows, not the first of an hour alone. */
  keepUnknownSpans: boolean;
}

/** An ingest key as owners see it later: never the key itself. */
export interface IngestKey extends KeySettings {
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

/** The length of the prefix that a key is recognised by: `sk_` and four digits. */
const PREFIX_LENGTH = 7;

/**
 * Mints an ingest key of an organization. `key` is shown this once; only its hash is kept.
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
    await takeRoom(trx, "ingestKeys", input);
    const row = { hash, id, organizationId, name, prefix: key.slice(0, PREFIX_LENGTH), last4, createdAt, ...settings };
    await trx.query(toStatement(knex("ingestKey").insert(row)));
    await audit(trx, { event: "ingestKey.created", organizationId, accountId: userId, detail: { id, name } });
    return { id, name, key, createdAt, ...settings };
  });
}

/** An organization's ingest keys, newest first. */
export const listIngestKeys = (db: Database, organizationId: string): Promise<IngestKey[]> =>
  db.query(
    toStatement(
      knex("ingestKey")
        .where({ organizationId })
        .orderBy("id", "desc")
        .limit(BOUNDS.ingestKeys.most)
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
 * Changes the name of an ingest key, or the parts that are kept from now on.
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
 * Deletes an ingest key, at once and for good.
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
