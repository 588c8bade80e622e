import type { ClientBase } from "pg";
import { onAbort } from "../../concurrency/abort.ts";
import { startDeadline } from "../../concurrency/expiry.ts";
import { startTimeout } from "../../concurrency/timeout.ts";
import type { QueueClass, Statement } from "../database.ts";
import { StatementTimeoutError } from "../errors/unavailable.ts";
import { sendAlone } from "../pipeline/index.ts";
import { getConnectionRequest } from "../pool/context.ts";

/** Returns the time limit of a statement in milliseconds: 60 s for maintenance (`upkeep`), otherwise 15 s. */
export const getStatementTimeoutMs = (of: QueueClass = getConnectionRequest().queueClass): number =>
  of === "upkeep" ? 60_000 : 15_000;

/** Asks the engine to stop the running statement of `client`. Must not throw. The statement itself then fails. */
export type CancelStatement = (client: ClientBase) => void;

const discarded = new WeakSet<ClientBase>();

/** Marks a connection as unusable. The pool closes such a connection when the caller releases the connection. */
export const discardConnection = (client: ClientBase): void => void discarded.add(client);

/** Returns true for a discarded connection. */
export const isDiscarded = (client: ClientBase): boolean => discarded.has(client);

/**
 * Sends a statement and returns the rows. A statement that is prepared or has values is sent as a packet, because the
 * driver's own query requests a description of every result and writes each message separately.
 */
export async function sendStatement<Row>(client: ClientBase, statement: Statement): Promise<Row[]> {
  const bare = statement.name === undefined && !statement.values?.length;
  const { rows } = await (bare ? client.query(statement.text) : sendAlone(client, statement));
  return rows as Row[];
}

/** Limits that end a statement before its result arrives. */
interface Limits {
  /** Milliseconds that the statement may take. */
  limit: number;
  deadline?: AbortSignal | undefined;
  cancel: CancelStatement;
  /** Called with a function that ends the statement early for another reason, such as other callers that wait. */
  stopBy?: ((stop: (reason: Error) => void) => void) | undefined;
}

/** Milliseconds until a cancel is sent again, and maximum of this wait. The wait doubles after each cancel. */
const [CANCEL_AGAIN_MS, CANCEL_LATEST_MS] = [50, 1_000];

/**
 * Sends cancels repeatedly until the statement has ended. A single cancel is not enough: both engines ignore a cancel
 * that arrives before the statement begins, which happens on a busy machine. After a single, ignored cancel, the
 * statement would hold the connection until the statement's own time limit.
 */
export function cancelUntilEnded(running: Promise<unknown>, cancel: () => void): void {
  let timer: NodeJS.Timeout;
  const send = (pause: number) => {
    cancel();
    timer = setTimeout(send, pause, Math.min(2 * pause, CANCEL_LATEST_MS));
  };
  send(CANCEL_AGAIN_MS);
  const end = () => clearTimeout(timer);
  running.then(end, end);
}

/**
 * Returns the result of the running statement of `client`. If the time limit passes or `deadline` aborts, rejects and
 * cancels the statement. The connection is then discarded, because a late cancel could stop the next statement on the
 * connection.
 */
export function withStatementTimeout<T>(
  client: ClientBase,
  running: Promise<T>,
  { limit, deadline, cancel, stopBy }: Limits,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let over = false;
    const stop = (reason: unknown) => {
      if (over) return;
      over = true;
      discardConnection(client);
      cancelUntilEnded(running, () => cancel(client));
      reject(reason);
    };
    stopBy?.(stop);
    const late = () => stop(new StatementTimeoutError(`The statement took longer than ${limit / 1000} s`));
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
