import type { ClientBase, PoolClient } from "pg";
import { startTimeout } from "../../../concurrency/timeout.ts";
import { withRetries } from "../../../db/errors/sqlstate.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database, Turn } from "../../../db/open.ts";
import { isRowError } from "./sqlstate.ts";

/**
 * Time in ms after which the server closes the connection, so that callers get a response even if the network lost
 * one.
 */
const DEADLINE_MS = 12_000;

/**
 * Runs work on a connection, and runs the work again if the transaction failed for a temporary reason. `turn` says in
 * which queue, and as whose work, the work waits for a connection.
 * @throws Unavailable if a retry makes sense; the database's own error if a row caused the failure
 */
export const withStoreConnection = <T>(
  db: Database,
  turn: Turn,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> =>
  runInStore(() => db.connection((client) => withDeadline(db, client, () => withRetries(() => work(client))), turn));

/**
 * Runs work of the store and translates errors.
 * @throws Unavailable if a retry makes sense; the database's own error if a row caused the failure
 */
export async function runInStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unavailable || isRowError(error)) throw error;
    throw new Unavailable("The store does not take rows at the moment", 1, { cause: error });
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
