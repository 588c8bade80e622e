import { createHmac } from "node:crypto";
import type { Database } from "../../../db/open.ts";
import { BACKUP_LIMITS, buildBegin } from "../../../db/statements/begin.ts";
import { listTables, quoteName, type ReadRows, type TableDescription } from "../../../db/statements/tables.ts";
import { refillSqlByTable } from "../../resources/index.ts";

/** Writes the next part of the backup. Resolves when the target can accept more. */
export type WriteBackupText = (text: string) => Promise<void>;

/**
 * Number of rows that one statement reads. The first statement reads `first` rows. A later statement reads as many rows
 * as have about `length` characters together, but at least `least` and at most `most` rows.
 */
const SLICE = { first: 100, least: 10, most: 400, length: 1_000_000 };
/**
 * On the embedded engine, tables that are read slice by slice after the snapshot: recorded data and the change log,
 * which are append-only and have no foreign keys. The embedded engine has one connection, so a long snapshot would
 * block the server. The backup contains everything recorded before the backup began; a restore drops changes that are
 * later than the snapshot.
 */
const APART = /^(recorded_.*|change)$/;

/** The tables that record deletions. A restore of an older backup applies their rows. */
export const DELETION_RECORD_TABLES: readonly string[] = [
  "recorded_tombstone",
  "deletedAccount",
  "deletedOrganization",
];

/** The part of the database to write: all tables, or only the tables that record deletions. */
export type BackupScope = "all" | "deletions";

/**
 * Writes the backup as lines of JSON: a header, then for each table one line with the columns and one line per row,
 * and at the end the number of rows. All tables come from one snapshot, except `APART` on the embedded engine.
 * Raw SQL: PostgreSQL writes the JSON.
 */
export async function dumpDatabase(
  db: Database,
  secret: Uint8Array,
  emit: WriteBackupText,
  part: BackupScope = "all",
): Promise<number> {
  const apart = db.engine === "embedded" ? APART : /^$/;
  let rows = 0;
  let rest: TableDescription[] = [];
  await snapshot(db, async (read) => {
    await emit(line(await header(read, secret)));
    const every = await listTables(read, [...refillSqlByTable.keys()]);
    const all = part === "all" ? every : every.filter(({ name }) => DELETION_RECORD_TABLES.includes(name));
    rest = all.filter(({ name }) => apart.test(name));
    for (const table of all) if (!rest.includes(table)) rows += await dumpTable(read, table, emit);
  });
  const read: ReadRows = (text, values = []) => db.as("upkeep", () => db.query({ text, values }));
  for (const table of rest) rows += await dumpTable(read, table, emit);
  await emit(line({ end: true, rows }));
  return rows;
}

/**
 * Returns a hash that identifies the server's secret without revealing the secret. The backup contains the hash,
 * because webhook secrets cannot be decrypted under another server secret.
 */
export const fingerprintServerSecret = (secret: Uint8Array): string =>
  createHmac("sha256", secret).update("trackway backup").digest("hex").slice(0, 16);

async function header(read: ReadRows, secret: Uint8Array) {
  const migrations = await read<{ id: string }>("select name as id from knex_migrations order by name");
  return {
    format: "trackway-backup",
    version: 1,
    createdAt: new Date().toISOString(),
    migrations: migrations.map(({ id }) => id),
    secret: fingerprintServerSecret(secret),
  };
}

/** Runs `work` in a read-only transaction with one snapshot. Other transactions can write at the same time. */
const snapshot = (db: Database, work: (read: ReadRows) => Promise<void>) =>
  db.as("upkeep", () =>
    db.connection(async (client) => {
      const snapshot = "set transaction isolation level repeatable read read only";
      await client.query([...buildBegin(client, { ...BACKUP_LIMITS, statement: 60_000 }), snapshot].join("; "));
      try {
        await work(async (text, values = []) => (await client.query(text, [...values])).rows);
      } finally {
        await client.query("rollback");
      }
    }),
  );

async function dumpTable(
  read: ReadRows,
  { name, columns, key }: TableDescription,
  emit: WriteBackupText,
): Promise<number> {
  await emit(line({ table: name, columns }));
  const keys = key.map((column) => quoteName(column.name)).join(", ");
  const after = key.map((column, at) => `$${at + 1}::${column.type}`).join(", ");
  const select = `select row_to_json(t)::text as line, array[${key.map((column) => `${quoteName(column.name)}::text`).join(", ")}] as key from ${quoteName(name)} t`;
  let last: string[] | undefined;
  let slice = SLICE.first;
  for (let count = 0; ; ) {
    const where = last ? `where (${keys}) > (${after})` : "";
    const rows = await read<{ line: string; key: string[] }>(
      `${select} ${where} order by ${keys} limit ${slice}`,
      last,
    );
    // Each row must be one line. Stored JSON may have line breaks between its members; inside JSON strings, line breaks
    // are escaped.
    const text = rows.map((row) => `${row.line.replace(/[\r\n]+/g, " ")}\n`).join("");
    if (text) await emit(text);
    count += rows.length;
    last = rows.at(-1)?.key;
    if (rows.length < slice) return count;
    slice = Math.round(Math.min(Math.max((SLICE.length * rows.length) / text.length, SLICE.least), SLICE.most));
  }
}

const line = (value: object) => `${JSON.stringify(value)}\n`;
