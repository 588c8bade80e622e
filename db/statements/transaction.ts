import type { PoolClient } from "pg";
import { startTimeout } from "../../concurrency/timeout.ts";
import type { Database, Transaction } from "../database.ts";
import { isInFailedTransaction, TransactionLostError, withRetries } from "../errors/sqlstate.ts";
import type { UnavailableError } from "../errors/unavailable.ts";
import { createPipeline, type SendStatement } from "../pipeline/index.ts";
import { runHoldingConnection } from "../pool/context.ts";
import type { Pool } from "../pool/pool.ts";
import { buildPreparedBegin, buildSetTimeoutStatement, hasStatementTimeouts } from "./begin.ts";
import { cancelUntilEnded, discardConnection, getStatementTimeoutMs } from "./statement.ts";

type Work<T> = (trx: Transaction) => Promise<T>;

/** Creates `Database.transaction` over a pool. */
export function createTransactionFunction(pool: Pool): Database["transaction"] {
  return (work) =>
    withRetries(async () => {
      const client = await pool.acquire();
      let late = false;
      const cancelTimeout = startTimeout(2 * getStatementTimeoutMs(), () => {
        late = true;
        close(client);
      });
      try {
        return await attempt(client, pool, work);
      } catch (error) {
        throw late && error instanceof TransactionLostError ? error.cause : error;
      } finally {
        cancelTimeout();
        pool.release(client);
      }
    });
}

/** State of a transaction. */
interface Attempt {
  client: PoolClient;
  send: SendStatement;
  /** Results of all statements that were sent. */
  sent: Promise<unknown>[];
  end: "commit" | "rollback";
  /** True when the work has ended. The work may then send no more statements. */
  over: boolean;
  /**
   * Error of a statement that was refused and not sent. The transaction fails with this error, even if the work does
   * not wait for the statement.
   */
  refusal?: UnavailableError | undefined;
}

async function attempt<T>(client: PoolClient, pool: Pool, work: Work<T>): Promise<T> {
  const state: Attempt = { client, send: createPipeline(client), sent: [], end: "commit", over: false };
  for (const statement of buildPreparedBegin(client, { statement: getStatementTimeoutMs() }))
    void track(state, state.send(statement));
  try {
    const result = await runHoldingConnection(() => work(handOut(state, pool)));
    if (state.refusal) throw state.refusal;
    state.over = true;
    await finish(state);
    return result;
  } catch (error) {
    throw await undo(state, error);
  }
}

/** Returns the methods for the work. */
const handOut = (state: Attempt, { cancel, refusalOf }: Pool): Transaction => ({
  query: (statement, limit) => {
    state.refusal ??= refusalOf(statement);
    if (state.refusal) return track(state, Promise.reject(state.refusal));
    if (state.over) return Promise.reject(new Error("the transaction is over"));
    if (limit !== undefined) void track(state, state.send(buildSetTimeoutStatement(limit)));
    const rows = track(
      state,
      state.send(statement).then((answer) => answer.rows as never),
    );
    if (limit !== undefined && !hasStatementTimeouts(state.client))
      cancelAfter(limit, rows, () => cancel(state.client));
    return rows;
  },
  undo() {
    state.end = "rollback";
  },
});

/**
 * Cancels a statement after a time limit. This process measures the time, because the embedded engine has no timers.
 */
function cancelAfter(limit: number, running: Promise<unknown>, cancel: () => void): void {
  const cancelTimeout = startTimeout(limit, () => cancelUntilEnded(running, cancel));
  running.then(cancelTimeout, cancelTimeout);
}

/** Records a statement, and prevents an unhandled rejection if the work does not wait for its result. */
function track<Sent extends Promise<unknown>>({ sent }: Attempt, statement: Sent): Sent {
  statement.catch(() => {});
  sent.push(statement);
  return statement;
}

const command = (text: "commit" | "rollback") => ({ name: text, text });

async function finish({ send, end, sent }: Attempt): Promise<void> {
  const answer = await send(command(end));
  if (answer.command === end.toUpperCase()) return;
  // PostgreSQL responds to the COMMIT of a failed transaction with a ROLLBACK and no error. The cause is the error of
  // the first failed statement.
  throw (await firstFailure(sent)) ?? new Error("a statement failed inside");
}

/** Rolls back. @returns the error with which the transaction fails */
async function undo(state: Attempt, error: unknown): Promise<unknown> {
  const beforeCommit = !state.over;
  state.over = true;
  let lost = false;
  await state.send(command("rollback")).catch(() => {
    lost = true;
    discardConnection(state.client);
  });
  const cause = isInFailedTransaction(error) ? await firstFailure(state.sent) : error;
  return lost && beforeCommit ? new TransactionLostError(cause) : cause;
}

async function firstFailure(sent: Promise<unknown>[]): Promise<unknown> {
  const outcomes = await Promise.allSettled(sent);
  return outcomes.find((outcome) => outcome.status === "rejected")?.reason;
}

/**
 * Closes the connection, which rolls back the transaction. An open transaction holds locks, and in the embedded engine
 * blocks all other work.
 */
function close(client: PoolClient): void {
  discardConnection(client);
  void client.end();
}
