import type { Database, OpenOptions } from "./database.ts";

import { createDatabase } from "./engine.ts";

export type {
  ConnectionRequest as Turn,
  Database,
  OpenOptions,
  QueueClass,
  Statement,
  Transaction,
} from "./database.ts";
export { readsAny, writesAny } from "./database.ts";

/**
 * Opens the database and migrates its schema: PostgreSQL if there is a URL, and otherwise the embedded engine. Loads
 * only the chosen engine.
 * @throws CannotOpen with a message of one line for the operator
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
