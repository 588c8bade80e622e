import { uuidv7 } from "uuidv7";
import { compiled, knex } from "../../db/builder.ts";
import type { Statement } from "../../db/open.ts";

/** Runs statements: the database, or the transaction in hand. */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: Statement): Promise<Row[]>;
}

/** Something about logins, keys, members or webhooks that an owner or operator may ask about later. */
export interface AuditEntry {
  /** `noun.verb`, e.g. `apiKey.created`. */
  event: string;
  organizationId?: string | null;
  accountId?: string | null;
  /** Ids, names and addresses. Never a secret, a key or a password. */
  detail?: Record<string, unknown>;
}

/** Writes an audit entry beside the change that it is about: pass the same transaction. */
export async function audit(db: Queryable, entry: AuditEntry): Promise<void> {
  const { event, organizationId, accountId } = entry;
  const detail = JSON.stringify(entry.detail ?? {});
  await db.query(insertEntry({ organizationId, accountId, id: uuidv7(), event, detail, createdAt: new Date() }));
}

const insertEntry = compiled("audit", ["organizationId", "accountId", "id", "event", "detail", "createdAt"], (row) =>
  knex("audit").insert(row),
);
