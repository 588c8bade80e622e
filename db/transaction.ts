import type { PoolClient } from "pg";
import { after } from "./after.ts";
import { batching } from "./batch.ts";
import { beginPrepared, boundStatements, hasTimers } from "./begin.ts";
import { holding } from "./context.ts";
import type { Database, Statement, Transaction } from "./database.ts";
import type { Pool } from "./pool.ts";
import { discard, statementLimit } from "./statement.ts";
import { Undone, withRetries } from "./trouble.ts";

const command = (text: "commit" | "rollback") => ({ name: text, text });

/** `Database.transaction` over a pool. */
export function createTransaction(pool: Pool): Database["transaction"] {
  return (work) =>
    withRetries(async () => {
      const client = await pool.acquire();
      let late = false;
      const keep = after(2 * statementLimit(), () => {
        late = true;
        end(client);
      });
      try {
        return await attempt(client, pool, work);
      } catch (error) {
        throw late && error instanceof Undone ? error.cause : error;
      } finally {
        keep();
        pool.release(client);
      }
    });
}

async function attempt<T>(
  client: PoolClient,
  { knex, cancel }: Pool,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  let over = false;
  let last: "commit" | "rollback" = "commit";
  const send = batching(client);
  const sent: Promise<unknown>[] = [];
  const track = <Sent extends Promise<unknown>>(statement: Sent): Sent => {
    statement.catch(() => {});
    sent.push(statement);
    return statement;
  };
  const query = (statement: Statement, limit?: number) => {
    if (limit !== undefined) track(send(boundStatements(limit)));
    const rows = track(send(statement).then((answer) => answer.rows as never));
    if (limit !== undefined && !hasTimers(client)) {
      const keep = after(limit, () => cancel(client));
      rows.then(keep, keep);
    }
    return rows;
  };
  const trx: Transaction = {
    query: (statement, limit) =>
      over ? Promise.reject(new Error("the transaction is over")) : query(statement, limit),
    knex: (table) => knex(table).connection(client),
    undo() {
      last = "rollback";
    },
  };
  for (const statement of beginPrepared(client, { statement: statementLimit() })) track(send(statement));
  try {
    const result = await holding(() => work(trx));
    over = true;
    const answer = await send(command(last));
    // PostgreSQL answers COMMIT of a failed transaction with a silent ROLLBACK.
    if (answer.command !== last.toUpperCase())
      throw (await firstFailure(sent)) ?? new Error("a statement failed inside");
    return result;
  } catch (error) {
    const undone = !over;
    over = true;
    let lost = false;
    await send(command("rollback")).catch(() => {
      lost = true;
      discard(client);
    });
    const cause = failedForItsSake(error) ? await firstFailure(sent) : error;
    throw lost && undone ? new Undone(cause) : cause;
  }
}

/** After a failure everything behind it in the pipeline fails with this: the first one tells what happened. */
const failedForItsSake = (error: unknown) => error instanceof Error && "code" in error && error.code === "25P02";

async function firstFailure(sent: Promise<unknown>[]): Promise<unknown> {
  const outcomes = await Promise.allSettled(sent);
  return outcomes.find((outcome) => outcome.status === "rejected")?.reason;
}

/** A transaction left open holds locks, and the embedded engine whole: closing the connection rolls it back. */
function end(client: PoolClient): void {
  discard(client);
  void client.end();
}
