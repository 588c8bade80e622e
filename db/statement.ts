import type { PoolClient } from "pg";
import { queueClass } from "./context.ts";
import type { Statement } from "./database.ts";
import { Unavailable } from "./unavailable.ts";

/** Milliseconds a statement may take: 60 s for upkeep, else 15 s. */
export const statementLimit = (): number => (queueClass() === "upkeep" ? 60_000 : 15_000);

/** Tells the engine to stop what `client` runs. Must not throw; the statement itself then fails. */
export type Cancel = (client: PoolClient) => void;

/** Marks a connection so that the pool replaces it instead of handing it out again. */
export const discard = (client: PoolClient, reason: Error): void => {
  Object.assign(client, { __knex__disposed: reason });
};

/** Sends one statement and resolves to its rows. The driver copies nothing back into the statement. */
export async function send<Row>(client: PoolClient, statement: Statement): Promise<Row[]> {
  const result = await client.query({ ...statement, values: statement.values as unknown[] });
  return result.rows;
}

/**
 * Sends one statement that ends, one way or another, when its time is over or `deadline` aborts: it is cancelled,
 * and its connection not used again, since the cancel may arrive when the next statement already runs.
 * `answer` rejects at that moment; `settled` resolves when the connection is quiet.
 */
export function sendUntil<Row>(
  client: PoolClient,
  statement: Statement,
  cancel: Cancel,
  deadline?: AbortSignal,
): { answer: Promise<Row[]>; settled: Promise<unknown> } {
  const running = send<Row>(client, statement);
  const answer = new Promise<Row[]>((resolve, reject) => {
    const stop = (reason: Error) => {
      discard(client, reason);
      cancel(client);
      reject(reason);
    };
    const limit = statementLimit();
    const timer = setTimeout(() => stop(new Unavailable(`The statement took longer than ${limit / 1000} s`)), limit);
    const aborted = () => stop(deadline?.reason);
    deadline?.addEventListener("abort", aborted, { once: true });
    running.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      deadline?.removeEventListener("abort", aborted);
    });
  });
  return { answer, settled: running.catch(() => {}) };
}
