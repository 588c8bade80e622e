import type { Database, OpenOptions } from "./database.ts";
import { databaseOver } from "./engine.ts";
import { migrate } from "./migrate.ts";

export type { Database, OpenOptions, QueueClass, Statement, Transaction } from "./database.ts";

/**
 * Opens the database and brings its schema up to date: PostgreSQL when there is a URL, else the embedded engine.
 * @throws CannotOpen with one line for the operator
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { url, dataDir, warn = process.emitWarning } = options;
  if (url !== undefined) {
    const { openPostgres } = await import("./postgres.ts");
    return databaseOver(await openPostgres({ ...options, url }));
  }
  const { openEmbedded } = await import("./embedded/open.ts");
  const database = databaseOver(await openEmbedded(dataDir, warn));
  await database.as("upkeep", () => database.connection(migrate));
  return database;
}
