import type { Knex } from "knex";
import type { PoolClient } from "pg";
import { context, refuseInsideTransaction } from "./context.ts";
import type { Database, Statement } from "./database.ts";
import { type Cancel, sendUntil } from "./statement.ts";
import { createTransaction } from "./transaction.ts";
import { toUnavailable, withRetries } from "./trouble.ts";
import type { Wake } from "./wake.ts";

/** What the two engines do each in their own way. */
export interface Engine {
  name: Database["engine"];
  knex: Knex;
  cancel: Cancel;
  wake: Wake;
  /** Milliseconds for which a completed statement counts as a sign of life while the engine is busy. */
  patience: number;
  close(): Promise<void>;
}

/** The database over an engine that is ready. */
export function databaseOver(engine: Engine): Database {
  const { knex } = engine;
  let lastAnswer = 0;

  const checkedOut = async <T>(
    work: (client: PoolClient, settled: (quiet: Promise<unknown>) => void) => Promise<T>,
  ) => {
    const client: PoolClient = await knex.client.acquireConnection();
    let quiet: Promise<unknown> = Promise.resolve();
    try {
      return await work(client, (settled) => {
        quiet = settled;
      });
    } finally {
      void quiet.then(() => knex.client.releaseConnection(client));
    }
  };

  const query = <Row>(statement: Statement, deadline?: AbortSignal) =>
    withRetries(() =>
      checkedOut(async (client, onQuiet) => {
        deadline?.throwIfAborted();
        const { answer, settled } = sendUntil<Row>(client, statement, engine.cancel, deadline);
        onQuiet(settled);
        const rows = await answer;
        lastAnswer = performance.now();
        return rows;
      }),
    );

  const ping = async () => {
    refuseInsideTransaction();
    const slow = Symbol("slow");
    const answer = query({ text: "select 1" }).then(
      () => true,
      () => false,
    );
    const first = await Promise.race([answer, after(1_000, slow)]);
    return first === slow ? performance.now() - lastAnswer < engine.patience : first === true;
  };

  return {
    engine: engine.name,
    knex,
    as: (queueClass, work) => context.run({ ...context.getStore(), queueClass }, work),
    transaction: createTransaction(knex),
    query,
    async connection(work) {
      try {
        return await checkedOut((client) => work(client));
      } catch (error) {
        throw toUnavailable(error);
      }
    },
    ping,
    wake: engine.wake,
    close: engine.close,
  };
}

const after = <T>(milliseconds: number, value: T) =>
  new Promise<T>((resolve) => setTimeout(() => resolve(value), milliseconds).unref());
