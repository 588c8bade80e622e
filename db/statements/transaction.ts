import type { PoolClient } from "pg";
import { startTimeout } from "../../concurrency/timeout.ts";
import type { Database, Transaction } from "../database.ts";
import { isInFailedTransaction, Undone, withRetries } from "../errors/sqlstate.ts";
import { createPipeline, type Send } from "../pipeline/index.ts";
import { holding } from "../pool/context.ts";
import type { Pool } from "../pool/pool.ts";
import { beginPrepared, boundStatements, hasTimers } from "./begin.ts";
import { discard, statementLimit } from "./statement.ts";

type Work<T> = (trx: Transaction) => Promise<T>;

/** `Database.transaction` over a pool. */
export function createTransaction(pool: Pool): Database["transaction"] {
  return (work) =>
    withRetries(async () => {
      const client = await pool.acquire();
      let late = false;
      const cancelTimeout = startTimeout(2 * statementLimit(), () => {
        late = true;
        close(client);
      });
      try {
        return await attempt(client, pool, work);
      } catch (error) {
        throw late && error instanceof Undone ? error.cause : error;
      } finally {
        cancelTimeout();
        pool.release(client);
      }
    });
}

/** A transaction on its way. */
interface Attempt {
  client: PoolClient;
  send: Send;
  /** Everything sent so far. */
  sent: Promise<unknown>[];
  end: "commit" | "rollback";
  /** True once the work is done: nothing more may be sent by it. */
  over: boolean;
}

async function attempt<T>(client: PoolClient, pool: Pool, work: Work<T>): Promise<T> {
  const state: Attempt = { client, send: createPipeline(client), sent: [], end: "commit", over: false };
  for (const statement of beginPrepared(client, { statement: statementLimit() }))
    void track(state, state.send(statement));
  try {
    const result = await holding(() => work(handOut(state, pool)));
    state.over = true;
    await finish(state);
    return result;
  } catch (error) {
    throw await undo(state, error);
  }
}

/** The methods that the work gets. */
const handOut = (state: Attempt, { cancel }: Pool): Transaction => ({
  query: (statement, limit) => {
    if (state.over) return Promise.reject(new Error("the transaction is over"));
    if (limit !== undefined) void track(state, state.send(boundStatements(limit)));
    const rows = track(
      state,
      state.send(statement).then((answer) => answer.rows as never),
    );
    if (limit !== undefined && !hasTimers(state.client)) cancelAfter(limit, rows, () => cancel(state.client));
    return rows;
  },
  undo() {
    state.end = "rollback";
  },
});

/** The embedded engine has no timers of its own. */
function cancelAfter(limit: number, running: Promise<unknown>, cancel: () => void): void {
  const cancelTimeout = startTimeout(limit, cancel);
  running.then(cancelTimeout, cancelTimeout);
}

/** Keeps a statement whose answer the work may not wait for. */
function track<Sent extends Promise<unknown>>({ sent }: Attempt, statement: Sent): Sent {
  statement.catch(() => {});
  sent.push(statement);
  return statement;
}

const command = (text: "commit" | "rollback") => ({ name: text, text });

async function finish({ send, end, sent }: Attempt): Promise<void> {
  const answer = await send(command(end));
  if (answer.command === end.toUpperCase()) return;
  // PostgreSQL answers COMMIT of a failed transaction with a silent ROLLBACK.
  throw (await firstFailure(sent)) ?? new Error("a statement failed inside");
}

/** Rolls back. @returns the error that the transaction fails with */
async function undo(state: Attempt, error: unknown): Promise<unknown> {
  const beforeCommit = !state.over;
  state.over = true;
  let lost = false;
  await state.send(command("rollback")).catch(() => {
    lost = true;
    discard(state.client);
  });
  const cause = isInFailedTransaction(error) ? await firstFailure(state.sent) : error;
  return lost && beforeCommit ? new Undone(cause) : cause;
}

async function firstFailure(sent: Promise<unknown>[]): Promise<unknown> {
  const outcomes = await Promise.allSettled(sent);
  return outcomes.find((outcome) => outcome.status === "rejected")?.reason;
}

/** A transaction left open holds locks, and the embedded engine whole: closing the connection rolls it back. */
function close(client: PoolClient): void {
  discard(client);
  void client.end();
}
