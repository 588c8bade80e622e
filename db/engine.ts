import { holding, inClass, refuseHolder } from "./context.ts";
import type { Database, Statement } from "./database.ts";
import type { Pool } from "./pool.ts";
import { send, within } from "./statement.ts";
import { createTransaction } from "./transaction.ts";
import { toUnavailable, withRetries } from "./trouble.ts";
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

const PING_LIMIT_MS = 1_000;

/** The database over an engine that is ready. */
export function databaseOver(engine: Engine): Database {
  const { acquire, release, cancel, knex } = engine.pool;
  let closed: Promise<void> | undefined;

  const once = async <Row>(statement: Statement, deadline?: AbortSignal): Promise<Row[]> => {
    const client = await acquire();
    let quiet: Promise<unknown> = Promise.resolve();
    try {
      deadline?.throwIfAborted();
      const running = send<Row>(client, statement);
      quiet = running.catch(() => {});
      return await within(client, running, cancel, deadline);
    } finally {
      // After a deadline the statement may still run: its connection goes back when it is quiet.
      void quiet.then(() => release(client));
    }
  };
  const query: Database["query"] = (statement, deadline) => withRetries(() => once(statement, deadline));

  return {
    engine: engine.name,
    knex,
    as: inClass,
    transaction: createTransaction(engine.pool),
    query,
    async connection(work) {
      const client = await acquire();
      try {
        return await holding(() => work(client));
      } catch (error) {
        throw toUnavailable(error);
      } finally {
        release(client);
      }
    },
    async ping() {
      refuseHolder();
      const deadline = AbortSignal.timeout(PING_LIMIT_MS);
      const late = new Promise<"late">((resolve) => deadline.addEventListener("abort", () => resolve("late")));
      const answer = once({ text: "select 1" }, deadline).then(
        () => "well",
        () => (deadline.aborted ? "late" : "down"),
      );
      const state = await Promise.race([answer, late]);
      return state === "well" || (state === "late" && performance.now() - engine.pool.lastReturn() < engine.patience);
    },
    load: engine.pool.load,
    wake: engine.wake,
    close: () => {
      closed ??= engine.close();
      return closed;
    },
  };
}
