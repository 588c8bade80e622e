import type { Database, Transaction } from "../../db/open.ts";
import { toUnavailable } from "../../db/trouble.ts";
import { Unavailable } from "../../db/unavailable.ts";

/** Work that waits for its turn. */
interface Waiting {
  work(trx: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  timer?: NodeJS.Timeout;
}

type Outcome = { value: unknown } | { error: unknown };

/** Most pieces of work that share a transaction: PostgreSQL keeps 64 subtransactions at hand. */
const TOGETHER = 16;
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 5_000;

const lanes = new WeakMap<Database, Map<string, Waiting[]>>();

/**
 * Runs work in a transaction of its lane. Work of one lane excludes itself by a lock in the database, so what waits
 * here joins the next transaction: one BEGIN, one COMMIT and one connection for all of it, and each fails alone.
 * This is for speed only; other processes have lanes of their own and wait at the lock.
 * @throws Unavailable when too much waits, or for too long
 */
export function inLane<T>(db: Database, lane: string, work: (trx: Transaction) => Promise<T>): Promise<T> {
  const all = lanes.get(db) ?? new Map<string, Waiting[]>();
  lanes.set(db, all);
  const waiting = all.get(lane);
  if (waiting && waiting.length >= MAX_WAITING)
    return Promise.reject(new Unavailable("Too many changes wait; try again"));
  return new Promise<T>((resolve, reject) => {
    const own = { work, resolve, reject } as Waiting;
    if (waiting) return queue(waiting, own);
    all.set(lane, [own]);
    void db.as("short", () => drain(db, all, lane));
  });
}

function queue(waiting: Waiting[], own: Waiting): void {
  own.timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(own), 1);
    own.reject(new Unavailable("The change waited too long; try again"));
  }, MAX_WAIT_MS);
  waiting.push(own);
}

async function drain(db: Database, all: Map<string, Waiting[]>, lane: string): Promise<void> {
  const waiting = all.get(lane) ?? [];
  while (waiting.length > 0) {
    const batch = waiting.splice(0, TOGETHER);
    for (const { timer } of batch) clearTimeout(timer);
    await together(db, batch);
  }
  all.delete(lane);
}

/** One transaction for all; it never throws. */
async function together(db: Database, batch: readonly Waiting[]): Promise<void> {
  const [only, ...others] = batch;
  try {
    if (only && others.length === 0) return only.resolve(await db.transaction(only.work));
    const outcomes = await db.transaction(async (trx) => {
      const done: Outcome[] = [];
      for (const { work } of batch) done.push(await apart(trx, work));
      return done;
    });
    outcomes.forEach((outcome, at) => {
      if ("error" in outcome) batch[at]?.reject(outcome.error);
      else batch[at]?.resolve(outcome.value);
    });
  } catch (error) {
    for (const { reject } of batch) reject(error);
  }
}

/** Runs work behind a savepoint: what it did is undone alone. @throws for trouble that concerns the whole transaction */
async function apart(trx: Transaction, work: Waiting["work"]): Promise<Outcome> {
  const sent: Promise<unknown>[] = [];
  let keep = true;
  const query: Transaction["query"] = (statement) => {
    const answer = trx.query(statement);
    sent.push(answer);
    return answer as never;
  };
  void trx.query({ name: "savepoint", text: "savepoint lane" });
  let outcome: Outcome;
  try {
    const value = await work({ ...trx, query, undo: () => (keep = false) } as Transaction);
    await Promise.all(sent);
    outcome = { value };
  } catch (error) {
    const settled = await Promise.allSettled(sent);
    const first = settled.find(({ status }) => status === "rejected");
    const cause = first?.status === "rejected" && isFailure(error) ? first.reason : error;
    if (toUnavailable(cause) instanceof Unavailable) throw cause;
    outcome = { error: cause };
    keep = false;
  }
  void trx.query(
    keep ? { name: "release", text: "release savepoint lane" } : { name: "back", text: "rollback to savepoint lane" },
  );
  return outcome;
}

/** Whether the database failed, and not the work. */
const isFailure = (error: unknown): boolean => error instanceof Error && "code" in error;
