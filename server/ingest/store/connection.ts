import type { ClientBase, PoolClient } from "pg";
import { startTimeout } from "../../../concurrency/timeout.ts";
import { withRetries } from "../../../db/errors/sqlstate.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database, Turn } from "../../../db/open.ts";
import { isRefusal } from "./sqlstate.ts";

/** After this the connection is cut: whatever the network swallowed, the callers get their answer. */
const DEADLINE_MS = 12_000;

/**
 * Runs work on a connection, again when its transaction failed for a passing reason. Work of several organizations waits in
 * its turn as that of none.
 * @throws Unavailable for what another try may cure, or the database's own error when a row is to blame
 */
export const inConnection = <T>(db: Database, turn: Turn, work: (client: ClientBase) => Promise<T>): Promise<T> =>
  inStore(() => db.connection((client) => withDeadline(db, client, () => withRetries(() => work(client))), turn));

/**
 * Runs work of the store.
 * @throws Unavailable for what another try may cure, or the database's own error when a row is to blame
 */
export async function inStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unavailable || isRefusal(error)) throw error;
    throw new Unavailable("The store does not take rows at the moment", 1, { cause: error });
  }
}

/** On PostgreSQL cuts a connection that does not end its work; the embedded engine has its own deadline. */
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
