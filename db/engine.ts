import type { Database } from "./database.ts";
import type { NodeWatch } from "./distribution/nodes.ts";
import { onFullDisk } from "./errors/full-disk.ts";
import { toUnavailable } from "./errors/sqlstate.ts";
import { runAsHolder, runInClass, runOnNode } from "./pool/context.ts";
import type { Pool } from "./pool/pool.ts";
import { createPing } from "./statements/ping.ts";
import { createQuery } from "./statements/query.ts";
import { createTransaction } from "./statements/transaction.ts";
import type { Wake } from "./wake/wake.ts";

/** Parts that differ between the two engines. */
export interface Engine {
  name: Database["engine"];
  pool: Pool;
  /** Connections for health checks, if they are separate. */
  probes?: Pool;
  wake: Wake;
  /** Milliseconds for which a completed statement counts as a sign of life while the engine is too busy for a ping. */
  signOfLifeMs: number;
  /** Receives one line about each event that concerns the operator. */
  warn(message: string): void;
  /** Watch of the nodes, for a database on several nodes. */
  watch?: NodeWatch | undefined;
  close(): Promise<void>;
}

/** Creates the database for an open engine. */
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
    as: runInClass,
    beside: runOnNode,
    transaction: createTransaction(pool),
    query: createQuery(pool),
    connection: createConnection(pool),
    ping: createPing(probes, signOfLifeMs),
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
      return await runAsHolder(() => work(client));
    } catch (error) {
      throw toUnavailable(error);
    } finally {
      pool.release(client);
    }
  };
}
