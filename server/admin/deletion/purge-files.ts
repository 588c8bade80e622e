import type { Database } from "../../../db/open.ts";
import { quoted } from "../../../db/statements/tables.ts";

/** WAL files that are overwritten at most, of 16 MiB each. */
const MOST_FILES = 80;

/**
 * Raw SQL, as all of this: there is no builder for VACUUM. Writes every table anew without its dead rows, and overwrites
 * the write-ahead log. Each table is locked while it is written, and takes its room once more.
 * @returns what was done, and what the role may not do
 */
export async function purgeFiles(db: Database): Promise<string> {
  const tables = await db.query<{ name: string }>({
    text: "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  });
  const left: string[] = [];
  for (const { name } of tables) {
    const work = () => db.query({ text: `vacuum (full, analyze) ${quoted(name)}` });
    await db.as("upkeep", work).catch((error: Error) => left.push(`${name}: ${error.message}`));
  }
  const log = await overwriteLog(db).catch((error: Error) => `the write-ahead log: ${error.message}`);
  if (log) left.push(log);
  const done = `${tables.length} tables were written anew.`;
  if (left.length === 0) return `${done} No file of the database holds what was deleted before.`;
  return [done, "Not done:", ...left.map((line) => `  ${line}`)].join("\n");
}

/**
 * Each switch fills the rest of a file with zeros and goes on with the next. A checkpoint gives old files a new turn at the
 * end of the row, so twice as many switches as there are files overwrite each of them.
 */
async function overwriteLog(db: Database): Promise<string | undefined> {
  const [first] = await db.query<{ files: number }>({ text: "select count(*)::integer as files from pg_ls_waldir()" });
  const files = first?.files ?? 0;
  if (files > MOST_FILES)
    return `the write-ahead log: ${files} files are too many to overwrite; they age out by themselves`;
  for (let file = 0; file <= 2 * files + 2; file += 1) {
    await db.as("upkeep", () => db.query({ text: "checkpoint" }));
    await db.as("upkeep", () => db.query({ text: "select pg_switch_wal()" }));
  }
  await db.as("upkeep", () => db.query({ text: "checkpoint" }));
  return undefined;
}
