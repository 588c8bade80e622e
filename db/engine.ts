import type { Database } from "./database.ts";
import { onFullDisk } from "./errors/full-disk.ts";
import { toUnavailable } from "./errors/sqlstate.ts";
import { holding, inClass } from "./pool/context.ts";
import type { Pool } from "./pool/pool.ts";
import { createPing } from "./statements/ping.ts";
import { createQuery } from "./statements/query.ts";
import { createTransaction } from "./statements/transaction.ts";
import type { Wake } from "./wake/wake.ts";

/** The parts that differ between the two engines. */
export interface Engine {
  name: Database["engine"];
  pool: Pool;
  /** The connection that health is asked over, where it is one of its own. */
  probes?: Pool;
  wake: Wake;
  /** Milliseconds for which work done counts as a sign of life while the engine is too busy for a ping. */
  signOfLifeMs: number;
  /** Receives one line about what the operator should know. */
  warn(message: string): void;
  /** The answering nodes of a database on several. */
  nodes?: Database["nodes"];
  close(): Promise<void>;
}

/** The database over an engine that is ready. */
export function databaseOver({ name, pool, probes = pool, wake, signOfLifeMs, warn, nodes, close }: Engine): Database {
  let closed: Promise<void> | undefined;
  const stopTelling = onFullDisk(warn);
  return {
    engine: name,
    as: inClass,
    transaction: createTransaction(pool),
    query: createQuery(pool),
    connection: createConnection(pool),
    ping: createPing(probes, signOfLifeMs),
    nodes: nodes ?? (async () => undefined),
    load: pool.load,
    wake,
    close: () => {
      closed ??= close().finally(stopTelling);
      return closed;
    },
  };
}

/** `Database.connection` over a pool. */
function createConnection(pool: Pool): Database["connection"] {
  return async (work, turn) => {
    const client = await pool.acquire(turn);
    try {
      return await holding(() => work(client));
    } catch (error) {
      throw toUnavailable(error);
    } finally {
      pool.release(client);
    }
  };
}
