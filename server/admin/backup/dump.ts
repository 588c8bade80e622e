import { createHmac } from "node:crypto";
import type { Database } from "../../../db/open.ts";
import { BACKUP_BOUNDS, beginText } from "../../../db/statements/begin.ts";
import { quoted, type Read, type Table, tables } from "../../../db/statements/tables.ts";
import { refilled } from "../../resources/index.ts";

/** Takes the next part of the backup; resolves when there is room for more. */
export type Emit = (text: string) => Promise<void>;

/** Rows of one statement: many small ones, few large ones, by the length of those before. */
const SLICE = { first: 100, least: 10, most: 400, length: 1_000_000 };
/**
 * Tables that refer to nothing and grow at their end: what was recorded, and the change log. The embedded engine has one
 * connection, and a snapshot of these would stop the server for as long as it takes, so there they are read afterwards,
 * slice by slice. What was recorded before the backup began is in it; a restore drops changes later than the snapshot.
 */
const APART = /^(recorded_.*|change)$/;

/** The tables that say what was deleted; a restore of an older backup applies them. */
export const DELETIONS: readonly string[] = ["recorded_tombstone", "deletedAccount"];

/** The part of the database that is written: everything, or what a restore needs to know of later deletions. */
export type Part = "all" | "deletions";

/**
 * Writes everything as lines of JSON: a header, then for each table a line with its columns and one line a row, and at
 * the end the number of rows. One snapshot, but for `APART` on the embedded engine. Raw SQL: PostgreSQL writes the JSON.
 */
export async function dump(db: Database, secret: Uint8Array, emit: Emit, part: Part = "all"): Promise<number> {
  const apart = db.engine === "embedded" ? APART : /^$/;
  let rows = 0;
  let rest: Table[] = [];
  await snapshot(db, async (read) => {
    await emit(line(await header(read, secret)));
    const every = await tables(read, [...refilled.keys()]);
    const all = part === "all" ? every : every.filter(({ name }) => DELETIONS.includes(name));
    rest = all.filter(({ name }) => apart.test(name));
    for (const table of all) if (!rest.includes(table)) rows += await dumpTable(read, table, emit);
  });
  const read: Read = (text, values = []) => db.as("upkeep", () => db.query({ text, values }));
  for (const table of rest) rows += await dumpTable(read, table, emit);
  await emit(line({ end: true, rows }));
  return rows;
}

/** Marks the server's secret without showing it: restored under another secret, webhook secrets do not open. */
export const fingerprint = (secret: Uint8Array): string =>
  createHmac("sha256", secret).update("trackway backup").digest("hex").slice(0, 16);

async function header(read: Read, secret: Uint8Array) {
  const migrations = await read<{ id: string }>("select name as id from knex_migrations order by name");
  return {
    format: "trackway-backup",
    version: 1,
    createdAt: new Date().toISOString(),
    migrations: migrations.map(({ id }) => id),
    secret: fingerprint(secret),
  };
}

/** Runs `work` over one snapshot of the database that stays the same while others write. */
const snapshot = (db: Database, work: (read: Read) => Promise<void>) =>
  db.as("upkeep", () =>
    db.connection(async (client) => {
      const snapshot = "set transaction isolation level repeatable read read only";
      await client.query([...beginText(client, { ...BACKUP_BOUNDS, statement: 60_000 }), snapshot].join("; "));
      try {
        await work(async (text, values = []) => (await client.query(text, [...values])).rows);
      } finally {
        await client.query("rollback");
      }
    }),
  );

async function dumpTable(read: Read, { name, columns, key }: Table, emit: Emit): Promise<number> {
  await emit(line({ table: name, columns }));
  const keys = key.map((column) => quoted(column.name)).join(", ");
  const after = key.map((column, at) => `$${at + 1}::${column.type}`).join(", ");
  const select = `select row_to_json(t)::text as line, array[${key.map((column) => `${quoted(column.name)}::text`).join(", ")}] as key from ${quoted(name)} t`;
  let last: string[] | undefined;
  let slice = SLICE.first;
  for (let count = 0; ; ) {
    const where = last ? `where (${keys}) > (${after})` : "";
    const rows = await read<{ line: string; key: string[] }>(
      `${select} ${where} order by ${keys} limit ${slice}`,
      last,
    );
    // White space between the members of a kept JSON text may hold line breaks; within its strings they are escaped.
    const text = rows.map((row) => `${row.line.replace(/[\r\n]+/g, " ")}\n`).join("");
    if (text) await emit(text);
    count += rows.length;
    last = rows.at(-1)?.key;
    if (rows.length < slice) return count;
    slice = Math.round(Math.min(Math.max((SLICE.length * rows.length) / text.length, SLICE.least), SLICE.most));
  }
}

const line = (value: object) => `${JSON.stringify(value)}\n`;
