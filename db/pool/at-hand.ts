import type { PoolClient } from "pg";

const INTERVAL_MS = 1_000;

/** Connections that just came back, for whoever comes next. */
export interface AtHand {
  /** The one that came back last. */
  take(): PoolClient | undefined;
  put(client: PoolClient): void;
  /** Leaves one out that broke. */
  drop(client: PoolClient): void;
  /** The number of them. */
  count(): number;
  /** Gives all of them, and whatever comes back later, to the driver's pool. */
  close(): void;
}

/**
 * Keeps connections for a second or two before they go back to the driver's pool, which sets two timers and waits a turn of
 * the event loop each time it hands one over.
 */
export function createAtHand(): AtHand {
  let clients: PoolClient[] = [];
  /** The number at the bottom of the stack that nobody has wanted since the last check. */
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
