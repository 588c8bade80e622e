import type { Database } from "../../../db/open.ts";
import { startSharedServer } from "../server.ts";

/** Lists the tables with a row that contains a text in any column, except columns of bytes. */
export async function findTablesWith(text: string, given?: Database): Promise<string[]> {
  const db = given ?? (await startSharedServer()).runtime.db;
  const tables = await db.query<{ name: string }>({
    text: `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    values: [],
  });
  const found = [];
  for (const { name } of tables) {
    const query = `select count(*)::integer as count from "${name}" r where strpos(r::text, $1) > 0`;
    // The statement reads all rows that other tests stored. The maintenance class allows a minute.
    const [row] = await db.query<{ count: number }>({ text: query, values: [text] }, undefined, {
      queueClass: "upkeep",
    });
    if ((row?.count ?? 0) > 0) found.push(name);
  }
  return found;
}
