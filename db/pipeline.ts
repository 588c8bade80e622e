import type { PoolClient } from "pg";
import type { Database, Transaction } from "./database.ts";
import { discard, send, statementLimit } from "./statement.ts";
import { withRetries } from "./trouble.ts";

/** What a pipelined transaction hands to its work. */
export interface Pipeline extends Pick<Transaction, "query"> {
  /** Has the transaction undone at its end, for work that turned out to change nothing. */
  undo(): void;
}

/**
 * `Database.transaction` whose statements do not wait for each other: BEGIN goes out with the first of them, COMMIT
 * with the last, and what `work` sends without awaiting travels in one packet. Each still sees what the ones before it
 * did. Resolves after the COMMIT; whatever `work` did not await counts too: the first failure undoes and rejects.
 */
export function pipelined<T>(db: Database, work: (trx: Pipeline) => Promise<T>): Promise<T> {
  return withRetries(async () => {
    // The failure itself, not what `connection` makes of it, says whether another try makes sense.
    const outcome = await db.connection((client) => attempt(client, work));
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  });
}

type Outcome<T> = { value: T } | { error: unknown };

async function attempt<T>(client: PoolClient, work: (trx: Pipeline) => Promise<T>): Promise<Outcome<T>> {
  const sent: Promise<unknown>[] = [];
  let over = false;
  let last = "commit";
  const timer = setTimeout(() => end(client), 2 * statementLimit());
  const track = <Sent extends Promise<unknown>>(query: Sent): Sent => {
    query.catch(() => {});
    sent.push(query);
    return query;
  };
  Object.assign(client, { pipeline: true });
  track(client.query(`begin; set local lock_timeout = '2s'; set local statement_timeout = ${statementLimit()}`));
  const outcome = await settle(async () =>
    work({
      query: (statement) =>
        over ? Promise.reject(new Error("the transaction is over")) : track(send(client, statement)),
      undo: () => {
        last = "rollback";
      },
    }),
  );
  over = true;
  track(client.query("error" in outcome ? "rollback" : last));
  const settled = await Promise.allSettled(sent);
  clearTimeout(timer);
  Object.assign(client, { pipeline: false });
  const failure = settled.find(({ status }) => status === "rejected");
  // After a failure everything else fails for its sake: the first one tells what happened.
  if (failure?.status === "rejected" && (!("error" in outcome) || isDatabaseError(outcome.error)))
    return { error: failure.reason };
  return outcome;
}

async function settle<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

const isDatabaseError = (error: unknown): boolean => error instanceof Error && "code" in error;

/** A transaction left open holds locks, and the embedded engine whole: closing the connection rolls it back. */
function end(client: PoolClient): void {
  discard(client, new Error("the transaction stayed open too long"));
  void client.end();
}
