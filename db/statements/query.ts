import type { Database, Statement } from "../database.ts";
import { withRetries } from "../errors/sqlstate.ts";
import { getConnectionRequest } from "../pool/context.ts";
import type { Pool } from "../pool/pool.ts";
import { getStatementTimeoutMs, sendStatement, withStatementTimeout } from "./statement.ts";

/**
 * Creates `Database.query` over a pool. A failed statement in autocommit is rolled back completely, so the statement may run
 * again.
 */
export const createQueryFunction =
  (pool: Pool): Database["query"] =>
  (statement, deadline, as) =>
    withRetries(() => queryOnce(pool, statement, deadline, as));

/** Runs one statement on a connection of the pool, without retries. */
export async function queryOnce<Row>(
  pool: Pool,
  statement: Statement,
  deadline?: AbortSignal,
  as = getConnectionRequest(),
): Promise<Row[]> {
  const refusal = pool.refusalOf(statement);
  if (refusal) throw refusal;
  const client = await pool.acquire(as);
  let settled: Promise<unknown> = Promise.resolve();
  try {
    deadline?.throwIfAborted();
    const running = sendStatement<Row>(client, statement);
    settled = running.catch(() => {});
    const stopBy = as.queueClass === "read" ? (stop: (reason: Error) => void) => pool.stopBy(client, stop) : undefined;
    return await withStatementTimeout(client, running, {
      limit: as.limit ?? getStatementTimeoutMs(as.queueClass),
      deadline,
      cancel: pool.cancel,
      stopBy,
    });
  } finally {
    // After a deadline the statement may still run, so the connection is released only when the statement has ended.
    void settled.then(() => pool.release(client));
  }
}
