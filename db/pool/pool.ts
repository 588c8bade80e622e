import pg, { type ClientBase } from "pg";
import type { Load, Turn } from "../database.ts";
import { toUnavailable } from "../errors/sqlstate.ts";
import { setUpSession } from "../postgres/session-settings.ts";
import { noteServer, type Server } from "../statements/begin.ts";
import { type Cancel, discard, isDiscarded } from "../statements/statement.ts";
import { createAtHand } from "./at-hand.ts";
import { refuseHolder, turn } from "./context.ts";
import { createQueue, type Permit } from "./queue.ts";
import { types } from "./types.ts";

/** The driver's pool before which callers queue, and which refuses those who hold a connection already. */
export interface Pool {
  acquire(turn?: Turn): Promise<pg.PoolClient>;
  /** Has `stop` called when the connection has to come back early, because others wait. */
  stopBy(client: pg.PoolClient, stop: (reason: Error) => void): void;
  /** Gives a connection back, or ends it when it was discarded, broke, or is still in a transaction. */
  release(client: pg.PoolClient): void;
  cancel: Cancel;
  load(): Load;
  /** When a healthy connection last came back, by `performance.now()`. */
  lastReturn(): number;
  end(): Promise<void>;
}

const ignore = () => {};

/** The traits of the engine behind a pool. */
interface PoolOptions {
  size: number;
  cancel: Cancel;
  /** The PostgreSQL that it is. */
  server?: Server;
}

/** The queue admits as many as the pool has connections, so the pool only ever waits for a new connection. */
export function createPool(connection: pg.ClientConfig, options: PoolOptions): Pool {
  const atHand = createAtHand();
  const pool = openDriverPool(connection, options, (client) => {
    discard(client);
    atHand.drop(client as pg.PoolClient);
  });
  const queue = createQueue(options.size);
  const permits = new WeakMap<ClientBase, Permit>();
  let lastReturn = Number.NEGATIVE_INFINITY;

  const acquire = async (as = turn()) => {
    refuseHolder();
    const permit = await queue.enter(as);
    try {
      const client = atHand.take() ?? (await pool.connect());
      permits.set(client, permit);
      return client;
    } catch (error) {
      permit.leave();
      throw toUnavailable(error);
    }
  };
  const release = (client: pg.PoolClient) => {
    const broken = isDiscarded(client) || client.getTransactionStatus() !== "I";
    if (broken) client.release(true);
    else {
      lastReturn = performance.now();
      atHand.put(client);
    }
    permits.get(client)?.leave();
  };
  return {
    acquire,
    release,
    stopBy: (client, stop) => permits.get(client)?.stopBy(stop),
    cancel: options.cancel,
    load() {
      const free = pool.idleCount + atHand.count();
      return { used: pool.totalCount - free, free, waiting: queue.waiting() };
    },
    lastReturn: () => lastReturn,
    end() {
      atHand.close();
      return pool.end();
    },
  };
}

/** Without listeners a connection that breaks ends the process, at rest and at work. What ran on it fails anyway. */
function openDriverPool(
  connection: pg.ClientConfig,
  { size, server }: PoolOptions,
  onBroken: (client: ClientBase) => void,
): pg.Pool {
  const onConnect = server === undefined ? ignore : setUpSession;
  const pool = new pg.Pool({ ...connection, types, max: size, idleTimeoutMillis: 30_000, onConnect });
  return pool.on("error", ignore).on("connect", (client) => {
    client.on("error", () => onBroken(client)).on("end", () => onBroken(client));
    if (server !== undefined) noteServer(client, server);
  });
}
