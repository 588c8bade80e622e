import type { ClientBase } from "pg";
import { queueClass } from "./context.ts";
import type { Statement } from "./database.ts";
import { Unavailable } from "./unavailable.ts";

/** Milliseconds a statement may take: 60 s for upkeep, else 15 s. */
export const statementLimit = (): number => (queueClass() === "upkeep" ? 60_000 : 15_000);

/** Tells the engine to stop what `client` runs. Must not throw; the statement itself then fails. */
export type Cancel = (client: ClientBase) => void;

/** Marks a connection so that the pool replaces it instead of handing it out again. */
export const discard = (client: ClientBase, reason: unknown): void => {
  Object.assign(client, { __knex__disposed: reason });
};

/** Sends one statement and resolves to its rows. */
export async function send<Row>(client: ClientBase, { text, values, name }: Statement): Promise<Row[]> {
  const result = await client.query({ text, values: values as unknown[], ...(name !== undefined && { name }) });
  return result.rows;
}

/**
 * The outcome of what `client` runs, or a rejection the moment its time is over or `deadline` aborts. Then it is
 * cancelled and its connection not used again, since the cancel may arrive when the next statement already runs.
 */
export function within<T>(client: ClientBase, running: Promise<T>, cancel: Cancel, deadline?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown) => {
      discard(client, reason);
      cancel(client);
      reject(reason);
    };
    const limit = statementLimit();
    const timer = setTimeout(() => stop(new Unavailable(`The statement took longer than ${limit / 1000} s`)), limit);
    const aborted = () => stop(deadline?.reason);
    deadline?.addEventListener("abort", aborted, { once: true });
    const settled = () => {
      clearTimeout(timer);
      deadline?.removeEventListener("abort", aborted);
    };
    running.finally(settled).then(resolve, reject);
  });
}
