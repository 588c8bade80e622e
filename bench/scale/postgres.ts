import pg from "pg";
import { type Database, openDatabase } from "../../db/open.ts";
import { countMarkedHours } from "../../server/jobs/analytics.ts";
import { fillScale } from "./fill.ts";
import type { Size } from "./rows.ts";

/**
 * Creates the schema in an empty PostgreSQL database, and fills the tables.
 * @returns a key of the large organization
 */
export async function fillPostgres(url: string, size: Size): Promise<string> {
  await withDatabase(url, async () => {});
  const key = await filled(url, size);
  // Does the work of a server's job, because statistics of tools read the counts.
  await withDatabase(url, countMarkedHours);
  return key;
}

async function withDatabase(url: string, work: (db: Database) => Promise<unknown>): Promise<void> {
  const db = await openDatabase({ url, dataDir: "", poolSize: 2 });
  await work(db);
  await db.close();
}

async function filled(url: string, size: Size): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'");
    return await fillScale(async (text) => (await client.query(text)).rows, size);
  } finally {
    await client.end();
  }
}
