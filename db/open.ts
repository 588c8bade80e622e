import type { Database, OpenOptions } from "./database.ts";

import { createDatabase } from "./engine.ts";

export type {
  ConnectionRequest,
  Database,
  OpenOptions,
  QueueClass,
  Statement,
  Transaction,
} from "./database.ts";
export { readsAny, writesAny } from "./database.ts";

/**
 * Opens the database and migrates its schema. Uses PostgreSQL if a URL is given, and otherwise the embedded engine.
 * Loads only the code of the chosen engine.
 * @throws DatabaseOpenError with a one-line message for the operator
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const warn = options.warn ?? process.emitWarning;
  if (options.url !== undefined) {
    const { openPostgres } = await import("./postgres/open.ts");
    return createDatabase({ ...(await openPostgres({ ...options, url: options.url })), warn });
  }
  const { openEmbedded } = await import("./embedded/open.ts");
  return openEmbedded(options.dataDir, warn);
}
