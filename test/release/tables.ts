import type { Database } from "../../db/open.ts";
import { listTables, quoteName } from "../../db/statements/tables.ts";

/** Returns the number of rows of each table in the database's catalog. */
export async function rowsOf(db: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await listTables((text, values = []) => db.query({ text, values }), [])) {
    const [row] = await db.query<{ n: number }>({ text: `select count(*)::int as n from ${quoteName(name)}` });
    counts[name] = row?.n ?? 0;
  }
  return counts;
}

/** Returns the tables of a database without rows. */
export const emptyTables = async (db: Database): Promise<string[]> =>
  Object.entries(await rowsOf(db)).flatMap(([name, rows]) => (rows > 0 ? [] : [name]));
