import type { ClientBase, PoolClient } from "pg";
import { startTimeout } from "../../../concurrency/timeout.ts";
import { withRetries } from "../../../db/errors/sqlstate.ts";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { ConnectionRequest, Database } from "../../../db/open.ts";
import { isRowError } from "./sqlstate.ts";

/**
 * Maximum time in ms for work on a database connection. The server then closes the connection, so that the caller gets
 * a response even if the network lost the database's response.
 */
const DEADLINE_MS = 12_000;

/**
 * Runs work on a database connection, and runs the work again if the transaction failed for a temporary reason. `turn`
 * names the queue in which the work waits for a connection, and the organization that the work counts for.
 * @throws UnavailableError if a retry makes sense; the database's own error if a row caused the failure
 */
export const withStoreConnection = <T>(
  db: Database,
  turn: ConnectionRequest,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> =>
  runWithStoreErrorTranslation(() =>
    db.connection((client) => withDeadline(db, client, () => withRetries(() => work(client))), turn),
  );

/**
 * Runs work of the store and translates errors.
 * @throws UnavailableError if a retry makes sense; the database's own error if a row caused the failure
 */
export async function runWithStoreErrorTranslation<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnavailableError || isRowError(error)) throw error;
    throw new UnavailableError("The database cannot store data at the moment; try again", 1, { cause: error });
  }
}

/** Closes a PostgreSQL connection whose work does not end in time. The embedded engine has its own deadline. */
async function withDeadline<T>(db: Database, client: PoolClient, work: () => Promise<T>): Promise<T> {
  if (db.engine === "embedded") return work();
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  const keep = startTimeout(DEADLINE_MS, () => stream.destroy());
  try {
    return await work();
  } finally {
    keep();
  }
}
