import type { PoolClient } from "pg";
import { knex, toStatement } from "../../../db/builder.ts";
import { isNewer } from "../../../db/migrations/index.ts";
import type { Database } from "../../../db/open.ts";
import { BACKUP_BOUNDS, beginText } from "../../../db/statements/begin.ts";
import { quoted, type Table, tables } from "../../../db/statements/tables.ts";
import { refilled } from "../../resources/index.ts";
import { type Deleting, FORGET_RESTORED } from "../deletion/forget.ts";
import { APPLY_DELETIONS } from "./deletions.ts";
import { DERIVE_ANEW } from "./derived.ts";
import { DELETIONS, fingerprint } from "./dump.ts";

/** A backup that cannot be restored here; the message says why and what to do. */
class RestoreError extends Error {}

/** The first line of a backup. */
interface Header {
  format?: string;
  version?: number;
  createdAt: string;
  migrations: string[];
  secret: string;
}

/** Reads the first line. @throws RestoreError for a file that is no backup, or comes from a newer release */
async function readHeader(lines: AsyncIterator<string>): Promise<Header> {
  const first = await lines.next();
  const header = parsedLine(first.done ? "" : first.value) as unknown as Header;
  if (header.format !== "trackway-backup" || header.version !== 1) {
    throw new RestoreError("the file is no backup that this release can read");
  }
  const newer = header.migrations.filter(isNewer);
  if (newer.length > 0)
    throw new RestoreError(`the backup comes from a newer release (${newer}): restore it with that one`);
  return header;
}

/** A line that is no row: what rows follow, or how many there were. */
interface Mark {
  table: string;
  columns: string[];
  end?: true;
  rows?: number;
}

/** Reads a line that is no row. No table has a column `table` first, or `end`. */
export function markOf(line: string): Mark | null {
  return line.startsWith('{"table":') || line.startsWith('{"end":') ? (parsedLine(line) as unknown as Mark) : null;
}

/** Parses a line. @throws RestoreError */
function parsedLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    throw new RestoreError("the file is no backup that this release can read");
  }
}

/** The result of a restore. */
interface Restored {
  rows: number;
  /** Rows that were deleted again, by kind, because tombstones say so. */
  deleted: ReadonlyMap<string, number>;
  createdAt: string;
  /** True when this server's secret opens the webhook secrets in the backup. */
  sameSecret: boolean;
}

/** Rows, and about as many characters, that go into one statement. */
const BATCH_ROWS = 500;
const BATCH_LENGTH = 4_000_000;

/**
 * Restores a backup, read line by line, into a database that holds nothing. All of it or nothing: one transaction. What
 * was deleted after it was made goes again: `later` is a later backup, or one of the deletions alone.
 * @throws RestoreError for a file that is no backup, is cut short or comes from a newer release, and for a database
 * that is not empty.
 */
export async function restore(
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
    if (deletions) await readHeader(deletions);
    const loaded = await db.as("upkeep", () => db.connection((client) => load(client, iterator, deletions)));
    return { ...loaded, createdAt: header.createdAt, sameSecret: header.secret === fingerprint(secret) };
  } finally {
    await Promise.all([iterator.return?.(), deletions?.return?.()]);
  }
}

/**
 * The change log may have been read after the snapshot that the rest is of (dump.ts). Raw SQL here and below: it runs on
 * one connection, of tables and links that the backup names.
 */
const LATER_CHANGES: readonly Deleting[] = [
  {
    kind: "later change",
    text: `delete from change c where not exists (
    select from sync s where s."organizationId" = c."organizationId" and s."lastSyncId" >= c."lastSyncId")`,
  },
];

/** The rows that a restore loaded and deleted. */
type Loaded = Pick<Restored, "rows" | "deleted">;

async function load(
  client: PoolClient,
  lines: AsyncIterator<string>,
  deletions: AsyncIterator<string> | undefined,
): Promise<Loaded> {
  await client.query(beginText(client, { ...BACKUP_BOUNDS, statement: 0 }).join("; "));
  try {
    const links = await dropLinks(client);
    const rows = await insertAll(client, lines);
    if (deletions) await insertAll(client, deletions, DELETIONS);
    const deleted = await deleteAgain(client, [...LATER_CHANGES, ...APPLY_DELETIONS, ...FORGET_RESTORED]);
    for (const text of [...DERIVE_ANEW, ...refilled.values()]) await client.query(text);
    for (const { table, name, definition } of links) {
      await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`);
    }
    await client.query("commit");
    return { rows, deleted };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Runs statements that delete. Returns the number of rows of each kind that was deleted. */
async function deleteAgain(client: PoolClient, statements: readonly Deleting[]): Promise<Map<string, number>> {
  const deleted = new Map<string, number>();
  for (const { text, kind } of statements) {
    const count = (await client.query(text)).rowCount ?? 0;
    if (kind && count > 0) deleted.set(kind, (deleted.get(kind) ?? 0) + count);
  }
  return deleted;
}

/** Takes the foreign keys away while tables fill in no particular order; they are checked when they come back. */
async function dropLinks(client: PoolClient) {
  const { rows } = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`,
  );
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${quoted(name)}`);
  return rows;
}

async function insertAll(client: PoolClient, lines: AsyncIterator<string>, only?: readonly string[]): Promise<number> {
  const all = await tables(async (text, values = []) => (await client.query(text, [...values])).rows, []);
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
    const mark = markOf(line);
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

/** SQL that inserts rows of a table. Columns that an older build had and this one has not are left out, as are whole tables. */
function insertInto({ table, columns }: Mark, known: readonly Table[]): string | undefined {
  const here = known.find(({ name }) => name === table);
  if (!here) return undefined;
  const names = columns
    .filter((name) => here.columns.includes(name))
    .map(quoted)
    .join(", ");
  const insert = `insert into ${quoted(table)} (${names}) select ${names} from json_populate_recordset(null::${quoted(table)}, $1::json)`;
  if (!DELETIONS.includes(table)) return insert;
  // Two files may report one deletion. The later one counts, as where a name is deleted twice.
  const [at, key] = table === "deletedAccount" ? ['"deletedAt"', "id"] : ["deleted_at", "organization_id, hash"];
  return `${insert} on conflict (${key}) do update set ${at} = greatest(${quoted(table)}.${at}, excluded.${at})`;
}
