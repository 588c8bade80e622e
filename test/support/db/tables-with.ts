import type { Database } from "../../../db/open.ts";
import { sharedServer } from "../server.ts";

/** The tables in a row of which a text stands anywhere, columns of bytes left out. */
export async function tablesWith(text: string, given?: Database): Promise<string[]> {
  const db = given ?? (await sharedServer()).runtime.db;
  const tables = await db.query<{ name: string }>({
    text: `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    values: [],
  });
  const found = [];
  for (const { name } of tables) {
    const query = `select count(*)::integer as count from "${name}" r where strpos(r::text, $1) > 0`;
    // All that the other tests stored is read: as upkeep it may take a minute.
    const [row] = await db.query<{ count: number }>({ text: query, values: [text] }, undefined, {
      queueClass: "upkeep",
    });
    if ((row?.count ?? 0) > 0) found.push(name);
  }
  return found;
}
