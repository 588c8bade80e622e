import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { invalidateCredentialCache } from "../../auth/credential-cache.ts";
import { mintIngestKey } from "../../auth/key.ts";
import { notFound } from "../../errors.ts";
import { writeAuditEntry } from "../audit.ts";
import { lockAndCheckRowLimit, ROW_LIMITS } from "../bound.ts";

/** Options for the data that connectors send with an ingest key. */
export interface IngestKeySettings {
  /** If true, prompts of users and replies of models are removed from the data. */
  omitPrompts: boolean;
  /** If true, arguments and results of tools are removed from the data. */
  omitToolContents: boolean;
  /**
   * If true, every span of an unknown service is kept. If false, only the first 20 spans of each unknown service per
   * hour are kept (`KEPT` in unknown-spans.ts).
   */
  keepUnknownSpans: boolean;
}

/** An ingest key as shown to owners, without the key itself. */
export interface IngestKey extends IngestKeySettings {
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

/** Length of the part of a key that is shown: `sk_` and four hexadecimal digits. */
const PREFIX_LENGTH = 7;

/**
 * Creates an ingest key of an organization. `key` is returned only here; the server stores only its hash.
 * @throws conflict `limit_reached` at 500 keys.
 */
export function createIngestKey(
  db: Database,
  input: Actor & { name: string } & { [Name in keyof IngestKeySettings]?: boolean | undefined },
): Promise<{ id: string; name: string; key: string; createdAt: Date } & IngestKeySettings> {
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
    await lockAndCheckRowLimit(trx, "ingestKeys", input);
    const row = { hash, id, organizationId, name, prefix: key.slice(0, PREFIX_LENGTH), last4, createdAt, ...settings };
    await trx.query(toStatement(knex("ingestKey").insert(row)));
    await writeAuditEntry(trx, { event: "ingestKey.created", organizationId, accountId: userId, detail: { id, name } });
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
  changes: { [Name in keyof IngestKeySettings | "name"]?: IngestKey[Name] | undefined },
): Promise<IngestKey> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return db.transaction(async (trx) => {
    const key = knex("ingestKey").where({ organizationId, id });
    const query = Object.keys(given).length > 0 ? key.update(given, [...SHOWN]) : key.select(...SHOWN);
    const [row] = await trx.query<IngestKey>(toStatement(query));
    if (!row) throw notFound("ingest key", id);
    await writeAuditEntry(trx, {
      event: "ingestKey.updated",
      organizationId,
      accountId: userId,
      detail: { id, ...given },
    });
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
    await writeAuditEntry(trx, { event: "ingestKey.deleted", organizationId, accountId: userId, detail });
  });
  invalidateCredentialCache(db);
}
