import type { Database } from "../../db/open.ts";
import { quoted, tables } from "../../db/statements/tables.ts";

/** Rows of each table of a database, by the catalog. */
export async function rowsOf(db: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await tables((text, values = []) => db.query({ text, values }), [])) {
    const [row] = await db.query<{ n: number }>({ text: `select count(*)::int as n from ${quoted(name)}` });
    counts[name] = row?.n ?? 0;
  }
  return counts;
}

/** The tables of a database that have no row. */
export const emptyTables = async (db: Database): Promise<string[]> =>
  Object.entries(await rowsOf(db)).flatMap(([name, rows]) => (rows > 0 ? [] : [name]));
