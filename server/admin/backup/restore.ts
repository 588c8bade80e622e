import type { PoolClient } from "pg";
import { knex, toStatement } from "../../../db/builder.ts";
import { isNewerMigration } from "../../../db/migrations/index.ts";
import type { Database } from "../../../db/open.ts";
import { BACKUP_LIMITS, buildBegin } from "../../../db/statements/begin.ts";
import { listTables, quoteName, type TableDescription } from "../../../db/statements/tables.ts";
import { refillSqlByTable } from "../../resources/index.ts";
import { buildOrganizationDeletions, type DeleteStatement, RESTORED_ACCOUNT_DELETIONS } from "../deletion/forget.ts";
import { TOMBSTONE_DELETE_STATEMENTS } from "./deletions.ts";
import { RECOMPUTE_STATEMENTS } from "./derived.ts";
import { DELETION_RECORD_TABLES, fingerprintServerSecret } from "./dump.ts";

/** Error for a backup that cannot be restored here. The message contains the reason and the solution. */
class RestoreError extends Error {}

interface Header {
  format?: string;
  version?: number;
  createdAt: string;
  migrations: string[];
  secret: string;
}

/** @throws RestoreError for a file that is not a backup, or that a newer release wrote */
async function readHeader(lines: AsyncIterator<string>): Promise<Header> {
  const first = await lines.next();
  const header = parsedLine(first.done ? "" : first.value) as unknown as Header;
  if (header.format !== "trackway-backup" || header.version !== 1) {
    throw new RestoreError("the file is no backup that this release can read");
  }
  const newer = header.migrations.filter(isNewerMigration);
  if (newer.length > 0)
    throw new RestoreError(`the backup comes from a newer release (${newer}): restore it with that one`);
  return header;
}

/** A line that is not a row: the head of a table's rows, or the end of the backup with the number of rows. */
interface Mark {
  table: string;
  columns: string[];
  end?: true;
  rows?: number;
}

/**
 * Parses a line that is not a row; returns null for a row. A row never begins like such a line, because no table has a
 * column `end`, or has `table` as its first column.
 */
export function parseBackupMarker(line: string): Mark | null {
  return line.startsWith('{"table":') || line.startsWith('{"end":') ? (parsedLine(line) as unknown as Mark) : null;
}

/** @throws RestoreError for a line that is not JSON */
function parsedLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    throw new RestoreError("the file is no backup that this release can read");
  }
}

interface Restored {
  rows: number;
  /** Number of rows that the restore deleted because of tombstones, by kind. */
  deleted: ReadonlyMap<string, number>;
  createdAt: string;
  /** True when this server's secret decrypts the webhook secrets in the backup. */
  sameSecret: boolean;
}

/** Limits of one INSERT: rows, and approximate characters. */
const BATCH_ROWS = 500;
const BATCH_LENGTH = 4_000_000;

/**
 * Message for a database with distributed tables. A restore deletes rows with joins over all organizations, and Citus
 * refuses such joins on distributed tables.
 */
const DISTRIBUTED =
  "the tables are distributed over several nodes: restore into a new database that is not distributed, and then run " +
  "npm run admin -- distribute --apply";

/**
 * Restores a backup line by line into an empty database, in one transaction. The restore also deletes rows that were
 * deleted after the backup was made. `later` supplies these deletions: a later backup, or a file with deletions only.
 * @throws RestoreError for a file that is not a backup, is truncated or comes from a newer release, and for a database
 * that is not empty or is distributed.
 */
export async function restoreBackup(
  db: Database,
  lines: AsyncIterable<string>,
  secret: Uint8Array,
  later?: AsyncIterable<string>,
): Promise<Restored> {
  const iterator = lines[Symbol.asyncIterator]();
  const deletions = later?.[Symbol.asyncIterator]();
  try {
    const header = await readHeader(iterator);
    const [account] = await db.query(toStatement(knex("account").limit(1).select("id")));
    if (account) throw new RestoreError("the database is not empty: restore into a new DATA_DIR or a new database");
    if (db.nodes()) throw new RestoreError(DISTRIBUTED);
    if (deletions) await readHeader(deletions);
    const loaded = await db.as("upkeep", () => db.connection((client) => load(client, iterator, deletions)));
    return { ...loaded, createdAt: header.createdAt, sameSecret: header.secret === fingerprintServerSecret(secret) };
  } finally {
    await Promise.all([iterator.return?.(), deletions?.return?.()]);
  }
}

/**
 * Deletes changes that are later than the snapshot. A backup may contain such changes, because the change log may have
 * been read after the snapshot (dump.ts). Raw SQL here and below: the restore uses one connection, and the names of
 * tables and foreign keys are known only at run time.
 */
const LATER_CHANGES: readonly DeleteStatement[] = [
  {
    kind: "later change",
    text: `delete from change c where not exists (
    select from sync s where s."organizationId" = c."organizationId" and s."lastSyncId" >= c."lastSyncId")`,
  },
];

type Loaded = Pick<Restored, "rows" | "deleted">;

async function load(
  client: PoolClient,
  lines: AsyncIterator<string>,
  deletions: AsyncIterator<string> | undefined,
): Promise<Loaded> {
  await client.query(buildBegin(client, { ...BACKUP_LIMITS, statement: 0 }).join("; "));
  try {
    const links = await dropLinks(client);
    const rows = await insertAll(client, lines);
    if (deletions) await insertAll(client, deletions, DELETION_RECORD_TABLES);
    const organizations = buildOrganizationDeletions(await tablesOf(client));
    const statements = [
      ...organizations,
      ...LATER_CHANGES,
      ...TOMBSTONE_DELETE_STATEMENTS,
      ...RESTORED_ACCOUNT_DELETIONS,
    ];
    const deleted = await deleteAgain(client, statements);
    for (const text of [...RECOMPUTE_STATEMENTS, ...refillSqlByTable.values()]) await client.query(text);
    for (const { table, name, definition } of links) {
      await client.query(`alter table ${table} add constraint ${quoteName(name)} ${definition}`);
    }
    await client.query("commit");
    return { rows, deleted };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Runs statements that delete rows. Returns the number of deleted rows by kind. */
async function deleteAgain(client: PoolClient, statements: readonly DeleteStatement[]): Promise<Map<string, number>> {
  const deleted = new Map<string, number>();
  for (const { text, kind } of statements) {
    const count = (await client.query(text)).rowCount ?? 0;
    if (kind && count > 0) deleted.set(kind, (deleted.get(kind) ?? 0) + count);
  }
  return deleted;
}

/**
 * Drops the foreign keys, because the tables are filled in arbitrary order. `load` adds the foreign keys again, and
 * PostgreSQL then checks all rows.
 */
async function dropLinks(client: PoolClient) {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`,
  );
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${quoteName(name)}`);
  return rows;
}

const tablesOf = (client: PoolClient): Promise<TableDescription[]> =>
  listTables(async (text, values = []) => (await client.query(text, [...values])).rows, []);

async function insertAll(client: PoolClient, lines: AsyncIterator<string>, only?: readonly string[]): Promise<number> {
  const all = await tablesOf(client);
  const known = only ? all.filter(({ name }) => only.includes(name)) : all;
  let insert: string | undefined;
  let batch: string[] = [];
  let length = 0;
  let rows = 0;
  const flush = async () => {
    if (batch.length > 0 && insert) await client.query(insert, [`[${batch.join(",")}]`]);
    rows += batch.length;
    batch = [];
    length = 0;
  };
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value;
    const mark = parseBackupMarker(line);
    if (mark?.end) {
      await flush();
      if (mark.rows !== rows) throw new RestoreError(`the backup says ${mark.rows} rows and holds ${rows}`);
      if (!(await lines.next()).done) throw new RestoreError("the file continues after the end of the backup");
      return rows;
    }
    if (mark || batch.length === BATCH_ROWS || length > BATCH_LENGTH) await flush();
    if (mark) insert = insertInto(mark, known);
    else length += batch.push(line) && line.length;
  }
  throw new RestoreError("the backup is cut short");
}

/** SQL that inserts rows of a table. Skips columns and tables that this build no longer has. */
function insertInto({ table, columns }: Mark, known: readonly TableDescription[]): string | undefined {
  const here = known.find(({ name }) => name === table);
  if (!here) return undefined;
  const names = columns
    .filter((name) => here.columns.includes(name))
    .map(quoteName)
    .join(", ");
  const insert = `insert into ${quoteName(table)} (${names}) select ${names} from json_populate_recordset(null::${quoteName(table)}, $1::json)`;
  if (!DELETION_RECORD_TABLES.includes(table)) return insert;
  // Two files may contain the same deletion. The row keeps the later time, as it also does when a name is deleted
  // twice.
  const [at, key] = table === "recorded_tombstone" ? ["deleted_at", "organization_id, hash"] : ['"deletedAt"', "id"];
  return `${insert} on conflict (${key}) do update set ${at} = greatest(${quoteName(table)}.${at}, excluded.${at})`;
}
