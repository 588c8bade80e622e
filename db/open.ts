import type { Database, OpenOptions } from "./database.ts";

import { databaseOver } from "./engine.ts";

export type { Database, OpenOptions, QueueClass, Statement, Transaction, Turn } from "./database.ts";
export { readsAny, writesAny } from "./database.ts";

/**
 * Opens the database and brings its schema up to date: PostgreSQL when there is a URL, else the embedded engine.
 * Only the chosen engine is loaded.
 * @throws CannotOpen with one line for the operator
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const warn = options.warn ?? process.emitWarning;
  if (options.url !== undefined) {
    const { openPostgres } = await import("./postgres/open.ts");
    return databaseOver({ ...(await openPostgres({ ...options, url: options.url })), warn });
  }
  const { openEmbedded } = await import("./embedded/open.ts");
  return openEmbedded(options.dataDir, warn);
}
