import { sharedServer } from "./server.ts";

/** The tables in a row of which a text stands anywhere, columns of bytes left out. */
export async function tablesWith(text: string): Promise<string[]> {
  const { db } = (await sharedServer()).runtime;
  const tables = await db.query<{ name: string }>({
    text: `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    values: [],
  });
  const found = [];
  for (const { name } of tables) {
    const query = `select count(*)::integer as count from "${name}" r where strpos(r::text, $1) > 0`;
    const [row] = await db.query<{ count: number }>({ text: query, values: [text] });
    if ((row?.count ?? 0) > 0) found.push(name);
  }
  return found;
}
