import type { ClientBase, QueryConfig } from "pg";
import { startTimeout } from "../../concurrency/timeout.ts";
import type { Statement } from "../database.ts";
import { Unavailable } from "../errors/unavailable.ts";
import { queueClass } from "../pool/context.ts";

/** Milliseconds a statement may take: 60 s for upkeep, else 15 s. */
export const statementLimit = (): number => (queueClass() === "upkeep" ? 60_000 : 15_000);

/** Asks the engine to stop what `client` runs. Must not throw; the statement itself then fails. */
export type Cancel = (client: ClientBase) => void;

const discarded = new WeakSet<ClientBase>();

/** Marks a connection that must not be used again: the pool closes it when it comes back. */
export const discard = (client: ClientBase): void => void discarded.add(client);

/** Whether a connection was discarded. */
export const isDiscarded = (client: ClientBase): boolean => discarded.has(client);

/** Sends one statement and resolves to its rows. */
export async function send<Row>(client: ClientBase, statement: Statement): Promise<Row[]> {
  const { rows } = await client.query(statement as QueryConfig); // it reads the values, and changes none
  return rows as Row[];
}

/**
 * The outcome of what `client` runs, or a rejection the moment its time is over or `deadline` aborts. Then it is
 * cancelled and its connection not used again, since the cancel may arrive when the next statement already runs.
 */
export function within<T>(client: ClientBase, running: Promise<T>, cancel: Cancel, deadline?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown) => {
      discard(client);
      cancel(client);
      reject(reason);
    };
    const limit = statementLimit();
    const cancelTimeout = startTimeout(limit, () =>
      stop(new Unavailable(`The statement took longer than ${limit / 1000} s`)),
    );
    const aborted = () => stop(deadline?.reason);
    deadline?.addEventListener("abort", aborted, { once: true });
    const settle =
      <U>(settled: (outcome: U) => void) =>
      (outcome: U) => {
        cancelTimeout();
        deadline?.removeEventListener("abort", aborted);
        settled(outcome);
      };
    running.then(settle(resolve), settle(reject));
  });
}
