import type { Database } from "../../../db/open.ts";
import { quoteName } from "../../../db/statements/tables.ts";
import { inputError } from "../../errors.ts";
import type { RemovalPlan } from "../removal.ts";

/**
 * Maximum number of WAL files (16 MiB each) that the command overwrites. If more files exist, the command leaves the
 * write-ahead log unchanged.
 */
const MOST_FILES = 80;

/**
 * Raw SQL, as in this whole file: there is no builder for VACUUM. Rewrites every table without its dead rows, and
 * overwrites the write-ahead log. PostgreSQL locks each table during the rewrite and needs disk space for a second copy
 * of the table.
 * @returns a report that also lists the steps that failed, for example because the role lacks a permission
 */
export async function purgeDeletedRowsFromDisk(db: Database, args: readonly string[]): Promise<string> {
  validatePurgeFilesArguments(args);
  const tables = await tableNames(db);
  const left: string[] = [];
  for (const name of tables) {
    const work = () => db.query({ text: `vacuum (full, analyze) ${quoteName(name)}` });
    await db.as("upkeep", work).catch((error: Error) => left.push(`${name}: ${error.message}`));
  }
  const log = await overwriteLog(db).catch((error: Error) => `the write-ahead log: ${error.message}`);
  if (log) left.push(log);
  const done = `${tables.length} tables were written anew.`;
  if (left.length === 0) return `${done} No file of the database holds what was deleted before.`;
  return [done, "Not done:", ...left.map((line) => `  ${line}`)].join("\n");
}

/**
 * Returns the plan of the command: the tables that the command rewrites. The rewrite keeps all rows, so a script may
 * run the command without confirmation.
 */
export async function planPurge(db: Database, args: readonly string[]): Promise<RemovalPlan> {
  validatePurgeFilesArguments(args);
  const tables = await tableNames(db);
  const ends = { first: tables[0] ?? "", last: tables.at(-1) ?? "" };
  return {
    removals: [{ count: tables.length, noun: "table", verb: "rewrite", ...ends }],
    notes: ["The rewrite removes deleted data from the files. Each table is locked during its rewrite."],
    asks: args.length > 0 ? "never" : "terminal",
    args: ["purge-files", ...args],
    unasked: "purge-files --yes",
  };
}

/** @throws inputError for unknown arguments */
export function validatePurgeFilesArguments(args: readonly string[]): void {
  const other = args.find((arg) => arg !== "--yes");
  if (other !== undefined) throw inputError(`purge-files takes --yes alone; got ${other}`);
}

async function tableNames(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>({
    text: "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  });
  return rows.map(({ name }) => name);
}

/**
 * Overwrites every file of the write-ahead log. Each WAL switch fills the rest of a file with zeros and continues with
 * the next file, and each checkpoint puts old files at the end of the queue. Twice as many switches as files therefore
 * reach every file.
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
