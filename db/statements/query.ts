import type { Database, Statement } from "../database.ts";
import { withRetries } from "../errors/sqlstate.ts";
import { turn } from "../pool/context.ts";
import type { Pool } from "../pool/pool.ts";
import { send, statementLimit, within } from "./statement.ts";

/** `Database.query` over a pool: a statement in autocommit is undone whole, so it may run again. */
export const createQuery =
  (pool: Pool): Database["query"] =>
  (statement, deadline, as) =>
    withRetries(() => queryOnce(pool, statement, deadline, as));

/** Runs one statement on a connection of its own. */
export async function queryOnce<Row>(
  pool: Pool,
  statement: Statement,
  deadline?: AbortSignal,
  as = turn(),
): Promise<Row[]> {
  const client = await pool.acquire(as);
  let settled: Promise<unknown> = Promise.resolve();
  try {
    deadline?.throwIfAborted();
    const running = send<Row>(client, statement);
    settled = running.catch(() => {});
    const stopBy = as.queueClass === "read" ? (stop: (reason: Error) => void) => pool.stopBy(client, stop) : undefined;
    return await within(client, running, {
      limit: as.limit ?? statementLimit(as.queueClass),
      deadline,
      cancel: pool.cancel,
      stopBy,
    });
  } finally {
    // After a deadline the statement may still run: its connection goes back when that has ended.
    void settled.then(() => pool.release(client));
  }
}
