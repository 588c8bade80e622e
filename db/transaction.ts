import type { PoolClient } from "pg";
import { holding } from "./context.ts";
import type { Database, Transaction } from "./database.ts";
import type { Pool } from "./pool.ts";
import { discard, send, statementLimit } from "./statement.ts";
import { withRetries } from "./trouble.ts";

/** The time-outs ride on BEGIN: no round trip of their own, and nothing is left behind after COMMIT. */
const begin = () => `begin; set local lock_timeout = '2s'; set local statement_timeout = ${statementLimit()}`;

/** `Database.transaction` over a pool. */
export function createTransaction({ knex }: Pool): Database["transaction"] {
  /** Runs `work` in a transaction on `client`. */
  const perform = async <T>(client: PoolClient, work: (trx: Transaction) => Promise<T>): Promise<T> => {
    let over = false;
    const query: Transaction["query"] = async (statement) => {
      if (over) throw new Error("the transaction is over");
      return send(client, statement);
    };
    try {
      await client.query(begin());
      const result = await holding(() => work({ query, knex: (table) => knex(table).connection(client) }));
      over = true;
      const { command } = await client.query("commit");
      // PostgreSQL answers COMMIT of a failed transaction with a silent ROLLBACK.
      if (command !== "COMMIT") throw new Error("a statement failed inside the transaction");
      return result;
    } catch (error) {
      over = true;
      await client.query("rollback").catch((reason) => discard(client, reason));
      throw error;
    }
  };

  return (work) =>
    withRetries(async () => {
      const client: PoolClient = await knex.client.acquireConnection();
      const timer = setTimeout(() => end(client), 2 * statementLimit());
      try {
        return await perform(client, work);
      } finally {
        clearTimeout(timer);
        void knex.client.releaseConnection(client);
      }
    });
}

/** A transaction left open holds locks, and the embedded engine whole: closing the connection rolls it back. */
function end(client: PoolClient): void {
  discard(client, new Error("the transaction stayed open too long"));
  void client.end();
}
