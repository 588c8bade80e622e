import type { Knex } from "knex";
import type { PoolClient } from "pg";
import { holding, refuseHolder } from "./context.ts";
import type { Database, Transaction } from "./database.ts";
import { discard, send, statementLimit } from "./statement.ts";
import { withRetries } from "./trouble.ts";

/** `Database.transaction` over a pool. */
export function createTransaction(knex: Knex): Database["transaction"] {
  return async (work) => {
    refuseHolder();
    return withRetries(() => knex.transaction((trx) => perform(trx, work)));
  };
}

/** Runs the work of one attempt inside `trx`, for twice a statement's time at most. */
async function perform<T>(trx: Knex.Transaction, work: (trx: Transaction) => Promise<T>): Promise<T> {
  const client: PoolClient = await trx.client.acquireConnection();
  let over = false;
  const timer = setTimeout(() => end(client), 2 * statementLimit());
  const query: Transaction["query"] = async (statement) => {
    if (over || trx.isCompleted()) throw new Error("the transaction is over");
    return send(client, statement);
  };
  try {
    const result = await holding(() => work({ knex: trx, query }));
    // PostgreSQL answers COMMIT of a failed transaction with a silent ROLLBACK.
    if (client.getTransactionStatus() === "E") throw new Error("a statement failed inside the transaction");
    return result;
  } finally {
    over = true;
    clearTimeout(timer);
  }
}

/** A transaction left open holds locks, and the embedded engine whole: closing the connection rolls it back. */
function end(client: PoolClient): void {
  discard(client, new Error("the transaction stayed open too long"));
  void client.end();
}
