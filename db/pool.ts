import knexFactory, { type Knex } from "knex";
import pg from "pg";
import { noteMajor } from "./begin.ts";
import { queueClass, refuseHolder } from "./context.ts";
import { endWhenCutOff } from "./cut-off.ts";
import type { Load } from "./database.ts";
import { createQueue } from "./queue.ts";
import { type Cancel, isDiscarded, within } from "./statement.ts";
import { toUnavailable } from "./trouble.ts";
import { types } from "./types.ts";

/** The driver's pool that nobody enters before their turn, or while they hold a connection. */
export interface Pool {
  acquire(): Promise<pg.PoolClient>;
  /** Gives a connection back, or ends it when it was discarded, broke, or is still in a transaction. */
  release(client: pg.PoolClient): void;
  cancel: Cancel;
  /** knex as a query builder over this pool. */
  knex: Knex;
  load(): Load;
  /** When a healthy connection last came back, by `performance.now()`. */
  lastReturn(): number;
  end(): Promise<void>;
}

const ignore = () => {};

/** What a pool is told of the engine behind it. */
interface PoolOptions {
  size: number;
  cancel: Cancel;
  /** The major version of PostgreSQL. */
  major?: number;
}

/** The queue has as many turns as the pool connections, so the pool only ever waits for a new connection. */
export function createPool(connection: pg.ClientConfig, { size, cancel, major }: PoolOptions): Pool {
  const onConnect = major === undefined ? ignore : endWhenCutOff;
  const pool = new pg.Pool({ ...connection, types, max: size, idleTimeoutMillis: 30_000, onConnect });
  const queue = createQueue(size);
  const turns = new WeakMap<pg.PoolClient, () => void>();
  let lastReturn = Number.NEGATIVE_INFINITY;
  // Without listeners a connection that breaks ends the process, at rest and at work. What ran on it fails anyway.
  pool.on("error", ignore).on("connect", (client) => {
    client.on("error", ignore);
    if (major !== undefined) noteMajor(client, major);
  });

  const acquire = async () => {
    refuseHolder();
    const leave = await queue.enter(queueClass());
    try {
      const client = await pool.connect();
      turns.set(client, leave);
      return client;
    } catch (error) {
      leave();
      throw toUnavailable(error);
    }
  };
  const release = (client: pg.PoolClient) => {
    const broken = isDiscarded(client) || client.getTransactionStatus() !== "I";
    if (!broken) lastReturn = performance.now();
    client.release(broken);
    turns.get(client)?.();
  };
  return {
    acquire,
    release,
    cancel,
    knex: createBuilder(acquire, release, cancel),
    load: () => ({ used: pool.totalCount - pool.idleCount, free: pool.idleCount, waiting: queue.waiting() }),
    lastReturn: () => lastReturn,
    end: () => pool.end(),
  };
}

/** knex without a pool of its own: what it does all day goes through these three methods. */
function createBuilder(acquire: Pool["acquire"], release: Pool["release"], cancel: Cancel): Knex {
  const log = { warn: ignore, error: ignore, debug: ignore, deprecate: ignore };
  const knex = knexFactory({ client: "pg", version: "15", compileSqlOnError: false, log });
  const { client } = knex;
  const { query } = client;
  client.acquireConnection = acquire;
  client.releaseConnection = async (acquired: pg.PoolClient) => release(acquired);
  client.query = async (acquired: pg.PoolClient, statement: unknown) => {
    try {
      return await within(acquired, query.call(client, acquired, statement), cancel);
    } catch (error) {
      throw toUnavailable(error);
    }
  };
  return knex;
}
