import type { ClientBase } from "pg";
import { onAbort } from "../../concurrency/abort.ts";
import { startDeadline } from "../../concurrency/expiry.ts";
import { startTimeout } from "../../concurrency/timeout.ts";
import type { QueueClass, Statement } from "../database.ts";
import { TookTooLong } from "../errors/unavailable.ts";
import { sendAlone } from "../pipeline/index.ts";
import { turn } from "../pool/context.ts";

/** Milliseconds a statement may take: 60 s for upkeep, else 15 s. */
export const statementLimit = (of: QueueClass = turn().queueClass): number => (of === "upkeep" ? 60_000 : 15_000);

/** Asks the engine to stop what `client` runs. Must not throw; the statement itself then fails. */
export type Cancel = (client: ClientBase) => void;

const discarded = new WeakSet<ClientBase>();

/** Marks a connection that must not be used again: the pool closes it when it comes back. */
export const discard = (client: ClientBase): void => void discarded.add(client);

/** True for a connection that was discarded. */
export const isDiscarded = (client: ClientBase): boolean => discarded.has(client);

/**
 * Sends one statement and resolves to its rows. One that is prepared, or takes values, is a packet: the driver's own query
 * has every result described again, and writes each message by itself.
 */
export async function send<Row>(client: ClientBase, statement: Statement): Promise<Row[]> {
  const bare = statement.name === undefined && !statement.values?.length;
  const { rows } = await (bare ? client.query(statement.text) : sendAlone(client, statement));
  return rows as Row[];
}

/** The limits that end a statement before its answer. */
interface Limits {
  /** Milliseconds it may take. */
  limit: number;
  deadline?: AbortSignal | undefined;
  cancel: Cancel;
  /** Takes the way to end it for another reason. */
  stopBy?: ((stop: (reason: Error) => void) => void) | undefined;
}

/**
 * The outcome of what `client` runs, or a rejection when its time is over or the moment `deadline` aborts. Then it is
 * cancelled and its connection not used again, since the cancel may arrive when the next statement already runs.
 */
export function within<T>(
  client: ClientBase,
  running: Promise<T>,
  { limit, deadline, cancel, stopBy }: Limits,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let over = false;
    const stop = (reason: unknown) => {
      if (over) return;
      over = true;
      discard(client);
      cancel(client);
      reject(reason);
    };
    stopBy?.(stop);
    const late = () => stop(new TookTooLong(`The statement took longer than ${limit / 1000} s`));
    const cancelTimeout = limit < 1_000 ? startTimeout(limit, late) : startDeadline(limit, late);
    const cancelAbort = deadline && onAbort(deadline, () => stop(deadline.reason));
    const settle =
      <U>(act: (outcome: U) => void) =>
      (outcome: U) => {
        over = true;
        cancelTimeout();
        cancelAbort?.();
        act(outcome);
      };
    running.then(settle(resolve), settle(reject));
  });
}
