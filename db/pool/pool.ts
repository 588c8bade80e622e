import pg, { type ClientBase } from "pg";
import type { Load } from "../database.ts";
import { toUnavailable } from "../errors/sqlstate.ts";
import { endWhenCutOff } from "../postgres/cut-off.ts";
import { noteServer, type Server } from "../statements/begin.ts";
import { type Cancel, isDiscarded } from "../statements/statement.ts";
import { queueClass, refuseHolder } from "./context.ts";
import { createQueue } from "./queue.ts";
import { types } from "./types.ts";

/** The driver's pool before which callers queue, and which refuses those who hold a connection already. */
export interface Pool {
  acquire(): Promise<pg.PoolClient>;
  /** Gives a connection back, or ends it when it was discarded, broke, or is still in a transaction. */
  release(client: pg.PoolClient): void;
  cancel: Cancel;
  load(): Load;
  /** When a healthy connection last came back, by `performance.now()`. */
  lastReturn(): number;
  end(): Promise<void>;
}

const ignore = () => {};

/** What a pool must know about the engine behind it. */
interface PoolOptions {
  size: number;
  cancel: Cancel;
  /** The PostgreSQL that it is. */
  server?: Server;
}

/** The queue admits as many as the pool has connections, so the pool only ever waits for a new connection. */
export function createPool(connection: pg.ClientConfig, options: PoolOptions): Pool {
  const pool = openDriverPool(connection, options);
  const queue = createQueue(options.size);
  const permits = new WeakMap<ClientBase, () => void>();
  let lastReturn = Number.NEGATIVE_INFINITY;

  const acquire = async () => {
    refuseHolder();
    const leave = await queue.enter(queueClass());
    try {
      const client = await pool.connect();
      permits.set(client, leave);
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
    permits.get(client)?.();
  };
  return {
    acquire,
    release,
    cancel: options.cancel,
    load: () => ({ used: pool.totalCount - pool.idleCount, free: pool.idleCount, waiting: queue.waiting() }),
    lastReturn: () => lastReturn,
    end: () => pool.end(),
  };
}

/** Without listeners a connection that breaks ends the process, at rest and at work. What ran on it fails anyway. */
function openDriverPool(connection: pg.ClientConfig, { size, server }: PoolOptions): pg.Pool {
  const onConnect = server === undefined ? ignore : endWhenCutOff;
  const pool = new pg.Pool({ ...connection, types, max: size, idleTimeoutMillis: 30_000, onConnect });
  return pool.on("error", ignore).on("connect", (client) => {
    client.on("error", ignore);
    if (server !== undefined) noteServer(client, server);
  });
}
