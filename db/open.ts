import type { Database, OpenOptions } from "./database.ts";
import { databaseOver } from "./engine.ts";
import { openPostgres } from "./postgres.ts";

export type { Database, OpenOptions, QueueClass, Statement, Transaction } from "./database.ts";

/**
 * Opens the database and brings its schema up to date: PostgreSQL when there is a URL, else the embedded engine.
 * @throws CannotOpen with one line for the operator
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { url } = options;
  if (url === undefined) throw new Error("the embedded engine is not built yet");
  return databaseOver(await openPostgres({ ...options, url }));
}
