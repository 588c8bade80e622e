import type { PoolClient } from "pg";

const INTERVAL_MS = 1_000;

/** Connections that were released recently, for the next callers. */
export interface IdleConnections {
  /** Removes and returns the connection that was released last. */
  take(): PoolClient | undefined;
  put(client: PoolClient): void;
  /** Removes a broken connection. */
  drop(client: PoolClient): void;
  /** Returns the number of connections. */
  count(): number;
  /**
   * Returns all connections to the driver's pool. Connections that are released later go directly to the driver's pool.
   */
  close(): void;
}

/**
 * Keeps released connections for one or two seconds before they return to the driver's pool. A direct return is
 * expensive: for each connection, the driver's pool sets two timers and waits for a turn of the event loop.
 */
export function createIdleConnections(): IdleConnections {
  let clients: PoolClient[] = [];
  /** Number of connections at the bottom of the stack that were not used since the last check. */
  let unwanted = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const look = () => {
    for (const client of clients.splice(0, unwanted)) client.release();
    unwanted = clients.length;
    if (unwanted > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    take() {
      const client = clients.pop();
      unwanted = Math.min(unwanted, clients.length);
      return client;
    },
    put(client) {
      if (closed) return client.release();
      clients.push(client);
      timer ??= setInterval(look, INTERVAL_MS).unref();
    },
    drop(client) {
      if (!clients.includes(client)) return;
      clients = clients.filter((each) => each !== client);
      unwanted = 0;
      client.release(true);
    },
    count: () => clients.length,
    close() {
      closed = true;
      clearInterval(timer);
      for (const client of clients.splice(0)) client.release();
    },
  };
}
