import type { Database, Statement, Transaction } from "../../db/open.ts";
import { toUnavailable } from "../../db/trouble.ts";
import { Unavailable } from "../../db/unavailable.ts";
import { learn } from "./row-cache.ts";
import { beginTurn, endTurn, isStale, type Turn } from "./shared-transaction.ts";

type Work<T> = (trx: Transaction, turn: Turn) => Promise<T>;

/** Work that waits for its turn. */
interface Waiting {
  work: Work<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  timer?: NodeJS.Timeout;
}

type Outcome = { value: unknown } | { error: unknown };

/** Most pieces of work that share a transaction. */
const TOGETHER = 16;
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 5_000;

const lanes = new WeakMap<Database, Map<string, Waiting[]>>();

/**
 * Runs work in a transaction of its organization. Writers of one organization exclude each other by a lock in the
 * database, so what waits here joins the next transaction: one BEGIN, one COMMIT and one connection for all of it.
 * This is for speed only; other processes have lanes of their own and wait at the lock.
 * @throws Unavailable when too much waits, or for too long
 */
export function inLane<T>(db: Database, organizationId: string, work: Work<T>): Promise<T> {
  const all = lanes.get(db) ?? new Map<string, Waiting[]>();
  lanes.set(db, all);
  const waiting = all.get(organizationId);
  if (waiting && waiting.length >= MAX_WAITING)
    return Promise.reject(new Unavailable("Too many changes wait; try again"));
  return new Promise<T>((resolve, reject) => {
    const own = { work, resolve, reject } as Waiting;
    if (waiting) return queue(waiting, own);
    all.set(organizationId, [own]);
    void db.as("short", () => drain(db, all, organizationId));
  });
}

function queue(waiting: Waiting[], own: Waiting): void {
  own.timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(own), 1);
    own.reject(new Unavailable("The change waited too long; try again"));
  }, MAX_WAIT_MS);
  waiting.push(own);
}

async function drain(db: Database, all: Map<string, Waiting[]>, organizationId: string): Promise<void> {
  const waiting = all.get(organizationId) ?? [];
  while (waiting.length > 0) {
    const batch = waiting.splice(0, TOGETHER);
    for (const { timer } of batch) clearTimeout(timer);
    await together(db, organizationId, batch);
  }
  all.delete(organizationId);
}

/** Runs a batch in one transaction; when that fails for one of it, each alone. It never throws. */
async function together(db: Database, organizationId: string, batch: readonly Waiting[]): Promise<void> {
  try {
    const outcomes = await perform(db, organizationId, batch);
    outcomes.forEach((outcome, at) => {
      if ("error" in outcome) batch[at]?.reject(outcome.error);
      else batch[at]?.resolve(outcome.value);
    });
  } catch (error) {
    if (isStale(error)) return together(db, organizationId, batch);
    if (batch.length > 1 && (isTimeout(error) || !(toUnavailable(error) instanceof Unavailable))) {
      for (const each of batch) await together(db, organizationId, [each]);
    } else for (const { reject } of batch) reject(error);
  }
}

async function perform(db: Database, organizationId: string, batch: readonly Waiting[]): Promise<Outcome[]> {
  const [outcomes, learned] = await db.transaction(async (trx) => {
    const turn = beginTurn(trx, db, organizationId);
    const done: Outcome[] = [];
    let wrote = false;
    for (const { work } of batch) {
      const one = await attempt(trx, turn, work);
      done.push(one.outcome);
      wrote ||= one.wrote;
    }
    if (!wrote) trx.undo();
    return [done, wrote ? await endTurn(trx, turn) : undefined] as const;
  });
  if (learned) learn(db, organizationId, learned);
  return outcomes;
}

/** Runs one piece of work. @throws when it failed after it wrote, or the database did: then all is undone */
async function attempt(
  trx: Transaction,
  turn: Turn,
  work: Work<unknown>,
): Promise<{ outcome: Outcome; wrote: boolean }> {
  let wrote = false;
  const query: Transaction["query"] = (statement, limit) => {
    wrote ||= !isRead(statement);
    return trx.query(statement, limit);
  };
  try {
    return { outcome: { value: await work({ ...trx, query }, turn) }, wrote };
  } catch (error) {
    // What it decided may have been decided on what is no longer so.
    await turn.raised;
    if (wrote || isFailure(error)) throw error;
    return { outcome: { error }, wrote };
  }
}

const isRead = ({ text }: Statement): boolean => /^\s*\(?\s*(select|with recursive)\b/i.test(text);

/** Whether a statement took too long, which is not the fault of what shared its transaction. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Unavailable && Reflect.get(Object(error.cause), "code") === "57014";

/** Whether the database failed, and not the work. */
const isFailure = (error: unknown): boolean =>
  error instanceof Unavailable || (error instanceof Error && "code" in error);
