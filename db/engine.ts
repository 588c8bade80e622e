import type { Database } from "./database.ts";
import type { NodeWatch } from "./distribution/nodes.ts";
import { onFullDisk } from "./errors/full-disk.ts";
import { toUnavailableError } from "./errors/sqlstate.ts";
import { runHoldingConnection, runInQueueClass, runOnNode } from "./pool/context.ts";
import type { Pool } from "./pool/pool.ts";
import { createPingFunction } from "./statements/ping.ts";
import { createQueryFunction } from "./statements/query.ts";
import { createTransactionFunction } from "./statements/transaction.ts";
import type { WakeNotifier } from "./wake/wake.ts";

/** Properties in which the embedded engine and PostgreSQL differ. */
export interface Engine {
  name: Database["engine"];
  pool: Pool;
  /** Separate connections for health checks. Without `probes`, health checks use `pool`. */
  probes?: Pool;
  wake: WakeNotifier;
  /**
   * If the engine is too busy for a ping, a statement that completed within this number of milliseconds shows that the
   * engine is alive.
   */
  signOfLifeMs: number;
  /** Receives one line about each event that concerns the operator. */
  warn(message: string): void;
  /** Watches which nodes respond. Set only for a database on several nodes. */
  watch?: NodeWatch | undefined;
  close(): Promise<void>;
}

/** Creates the `Database` object for an open engine. */
export function createDatabase({
  name,
  pool,
  probes = pool,
  wake,
  signOfLifeMs,
  warn,
  watch,
  close,
}: Engine): Database {
  let closed: Promise<void> | undefined;
  const stopTelling = onFullDisk(warn);
  return {
    engine: name,
    as: runInQueueClass,
    beside: runOnNode,
    transaction: createTransactionFunction(pool),
    query: createQueryFunction(pool),
    connection: createConnection(pool),
    ping: createPingFunction(probes, signOfLifeMs),
    nodes: () => watch?.nodes(),
    nodeOf: (organizationId) => watch?.nodeOf(organizationId),
    load: pool.load,
    wake,
    close: () => {
      closed ??= close().finally(stopTelling);
      return closed;
    },
  };
}

function createConnection(pool: Pool): Database["connection"] {
  return async (work, turn) => {
    const client = await pool.acquire(turn);
    try {
      return await runHoldingConnection(() => work(client));
    } catch (error) {
      throw toUnavailableError(error);
    } finally {
      pool.release(client);
    }
  };
}
