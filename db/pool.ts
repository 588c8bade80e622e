import knexFactory, { type Knex } from "knex";
import pg from "pg";
import { queueClass, refuseInsideTransaction } from "./context.ts";
import { createQueue } from "./queue.ts";
import { statementLimit } from "./statement.ts";
import { toUnavailable } from "./trouble.ts";

const { INT8, DATE } = pg.types.builtins;
const INT8_ARRAY = 1016;

/** int8 as a number (counters stay below 2^53), date as its text: a Date would shift with the time zone. */
const parsers: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [INT8_ARRAY]: (text) => text.slice(1, -1).split(",").filter(Boolean).map(Number),
  [DATE]: (text) => text,
};

/** How every connection reads values, on both engines. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers[oid]) || pg.types.getTypeParser(oid, format),
};

const transactionStart = () =>
  `begin; set local lock_timeout = '2s'; set local statement_timeout = ${statementLimit()}`;

const silent = { warn() {}, error() {}, debug() {}, deprecate() {} };

/**
 * knex over a pool that nobody enters inside an open transaction, or before their turn.
 * The queue stands before the pool, so the pool itself never waits for anything but a new connection.
 */
export function createPool(connection: pg.ClientConfig, size: number): Knex {
  const knex = knexFactory({
    client: "pg",
    version: "15",
    connection: (() => ({ ...connection, types })) as Knex.ConnectionConfigProvider,
    pool: { min: 0, max: size, acquireTimeoutMillis: 5_000, idleTimeoutMillis: 30_000 },
    compileSqlOnError: false,
    log: silent,
  });
  const { client } = knex;
  const queue = createQueue(size);
  const turns = new WeakMap<object, () => void>();
  const { acquireConnection, releaseConnection, query, transaction } = client;

  client.acquireConnection = async () => {
    refuseInsideTransaction();
    const leave = await queue.enter(queueClass());
    try {
      const acquired = await acquireConnection.call(client);
      turns.set(acquired, leave);
      return acquired;
    } catch (error) {
      leave();
      throw toUnavailable(error);
    }
  };
  client.releaseConnection = async (acquired: object) => {
    await releaseConnection.call(client, acquired);
    turns.get(acquired)?.();
  };
  client.query = async (...args: unknown[]) => {
    try {
      return await query.apply(client, args);
    } catch (error) {
      throw toUnavailable(error);
    }
  };
  // The time-outs ride on BEGIN: no round trip of their own.
  client.transaction = (...args: unknown[]) => {
    const started = transaction.apply(client, args);
    started.begin = (acquired: object) => started.query(acquired, transactionStart());
    return started;
  };
  return knex;
}
