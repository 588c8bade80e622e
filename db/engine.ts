import { holding, inClass } from "./context.ts";
import type { Database } from "./database.ts";
import { createPing } from "./ping.ts";
import type { Pool } from "./pool.ts";
import { createQuery } from "./query.ts";
import { createTransaction } from "./transaction.ts";
import { toUnavailable } from "./trouble.ts";
import type { Wake } from "./wake.ts";

/** What the two engines do each in their own way. */
export interface Engine {
  name: Database["engine"];
  pool: Pool;
  wake: Wake;
  /** Milliseconds for which work done counts as a sign of life while the engine is too busy for a ping. */
  patience: number;
  close(): Promise<void>;
}

/** The database over an engine that is ready. */
export function databaseOver({ name, pool, wake, patience, close }: Engine): Database {
  let closed: Promise<void> | undefined;
  return {
    engine: name,
    as: inClass,
    transaction: createTransaction(pool),
    query: createQuery(pool),
    connection: createConnection(pool),
    ping: createPing(pool, patience),
    load: pool.load,
    wake,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** `Database.connection` over a pool. */
function createConnection(pool: Pool): Database["connection"] {
  return async (work) => {
    const client = await pool.acquire();
    try {
      return await holding(() => work(client));
    } catch (error) {
      throw toUnavailable(error);
    } finally {
      pool.release(client);
    }
  };
}
