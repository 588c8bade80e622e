import knexFactory, { type Knex } from "knex";
import type { ClientBase, ClientConfig } from "pg";
import { queueClass, refuseHolder } from "./context.ts";
import { createQueue } from "./queue.ts";
import { type Cancel, within } from "./statement.ts";
import { toUnavailable } from "./trouble.ts";
import { types } from "./types.ts";

/** knex over a pool that nobody enters before their turn, or while they hold a connection. */
export interface Pool {
  knex: Knex;
  cancel: Cancel;
  /** When a healthy connection last came back, by `performance.now()`. */
  lastReturn(): number;
}

const silent = { warn() {}, error() {}, debug() {}, deprecate() {} };

/**
 * Lays queue, guard, limits and `Unavailable` around knex's own pool, at the three methods through which it does
 * everything. The queue has as many turns as the pool connections, so the pool only ever waits for a new connection.
 */
export function createPool(connection: ClientConfig, size: number, cancel: Cancel): Pool {
  const knex = knexFactory({
    client: "pg",
    version: "15",
    connection: (() => ({ ...connection, types })) as Knex.ConnectionConfigProvider,
    pool: { min: 0, max: size, acquireTimeoutMillis: 5_000, idleTimeoutMillis: 30_000 },
    compileSqlOnError: false,
    log: silent,
  });
  const { client } = knex;
  const { acquireConnection, releaseConnection, query } = client;
  const queue = createQueue(size);
  const turns = new WeakMap<object, () => void>();
  let lastReturn = Number.NEGATIVE_INFINITY;

  client.acquireConnection = async () => {
    refuseHolder();
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
    if (!Reflect.has(acquired, "__knex__disposed")) lastReturn = performance.now();
    await releaseConnection.call(client, acquired);
    turns.get(acquired)?.();
  };
  client.query = async (acquired: ClientBase, statement: unknown) => {
    try {
      return await within(acquired, query.call(client, acquired, statement), cancel);
    } catch (error) {
      throw toUnavailable(error);
    }
  };
  return { knex, cancel, lastReturn: () => lastReturn };
}
