import pg from "pg";
import { openDatabase } from "../../db/open.ts";
import { fillScale } from "./fill.ts";
import type { Size } from "./rows.ts";

/** Makes the schema in an empty PostgreSQL database, and fills it. @returns a key of the large organization */
export async function fillPostgres(url: string, size: Size): Promise<string> {
  const db = await openDatabase({ url, dataDir: "", poolSize: 2 });
  await db.close();
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'");
    return await fillScale(async (text) => (await client.query(text)).rows, size);
  } finally {
    await client.end();
  }
}
