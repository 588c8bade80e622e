import { uuidv7 } from "uuidv7";

/** What statements run on: the database, or the transaction in hand. */
export interface Queryable {
  query<Row = Record<string, unknown>>(statement: {
    text: string;
    values?: readonly unknown[];
    name?: string;
  }): Promise<Row[]>;
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

/** Writes an audit entry beside what it tells of: pass the same transaction. */
export async function audit(db: Queryable, entry: AuditEntry): Promise<void> {
  await db.query({
    name: "audit",
    text: `insert into audit ("organizationId", "accountId", id, event, detail, "createdAt") values ($1, $2, $3, $4, $5, $6)`,
    values: [
      entry.organizationId ?? null,
      entry.accountId ?? null,
      uuidv7(),
      entry.event,
      JSON.stringify(entry.detail ?? {}),
      new Date(),
    ],
  });
}
