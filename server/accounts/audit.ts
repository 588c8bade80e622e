import { uuidv7 } from "uuidv7";
import { knex, toStatement } from "../../db/builder.ts";
import type { Statement } from "../../db/open.ts";
import { NO_ID } from "../id.ts";
import { auditDeliveries } from "../write/derived/deliveries.ts";

/** Runs statements: the database, or the transaction in hand. */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>;
}

/** Something about logins, keys, members or webhooks that an owner or operator may ask about later. */
export interface AuditEntry {
  /** `noun.verb`, e.g. `apiKey.created`. */
  event: string;
  /** Null for what is about an account or the server alone, which operators read. */
  organizationId?: string | null;
  accountId?: string | null;
  /** Ids, names and addresses. Never a secret, a key or a password. */
  detail?: Record<string, unknown>;
}

/** An entry with its id and its moment. */
export interface StoredEntry {
  id: string;
  accountId: string | null;
  event: string;
  detail: string;
  createdAt: Date;
}

/** Writes an audit entry beside the change that it is about: pass the same transaction. */
export async function audit(trx: Queryable, { event, organizationId, accountId, detail = {} }: AuditEntry) {
  const entry = { id: uuidv7(), accountId: accountId ?? null, event, detail: JSON.stringify(detail) };
  await writeEntries(trx, organizationId ?? NO_ID, [{ ...entry, createdAt: new Date() }]);
}

/** Writes entries of an organization that are not there yet, with their deliveries, in the transaction in hand. */
export async function writeEntries(trx: Queryable, organizationId: string, entries: readonly StoredEntry[]) {
  const rows = entries.map((entry) => ({ organizationId, ...entry }));
  const insert = knex("audit").insert(rows).onConflict(["organizationId", "id"]).ignore().returning("id");
  const written = await trx.query<{ id: string }>(toStatement(insert));
  const ids = written.map(({ id }) => id);
  if (organizationId !== NO_ID && ids.length > 0) await trx.query(auditDeliveries(organizationId, ids));
}
