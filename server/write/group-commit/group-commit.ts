import { hasFailed } from "../../../db/checks.ts";
import { toUnavailable } from "../../../db/errors/sqlstate.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import { findTogether, type Wanted } from "./found-together.ts";
import { openRowCache } from "./row-cache.ts";
import { beginShared, endShared } from "./shared-transaction.ts";
import { isTimeout, runOne, type Settled, type Work } from "./work.ts";

/** Work that waits for the next transaction. */
interface Waiting {
  work: Work<unknown>;
  wanted: Wanted;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  timer?: NodeJS.Timeout;
}

/** Most pieces of work that share a transaction. */
const MAX_SHARING = 16;
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 5_000;

const queues = new WeakMap<Database, Map<string, Waiting[]>>();

/**
 * Runs work in a transaction that locks the organization against its other writers. Work that comes while one is
 * running waits and shares the next: one BEGIN, one look for the rows that it is about (`wanted`), one COMMIT and one
 * connection for all of it. This is for speed only; other processes have queues of their own, and the lock in the database keeps all of them apart.
 * @throws Unavailable when too much waits, or for too long
 */
export function groupCommit<T>(db: Database, organizationId: string, work: Work<T>, wanted: Wanted): Promise<T> {
  const all = queues.get(db) ?? new Map<string, Waiting[]>();
  queues.set(db, all);
  const waiting = all.get(organizationId);
  if (waiting && waiting.length >= MAX_WAITING)
    return Promise.reject(new Unavailable("Too many changes wait; try again"));
  return new Promise<T>((resolve, reject) => {
    const own = { work, wanted, resolve, reject } as Waiting;
    if (waiting) return enqueue(waiting, own);
    all.set(organizationId, [own]);
    void db.as("short", () => drain(db, all, organizationId), organizationId);
  });
}

function enqueue(waiting: Waiting[], own: Waiting): void {
  own.timer = setTimeout(() => {
    waiting.splice(waiting.indexOf(own), 1);
    own.reject(new Unavailable("The change waited too long; try again"));
  }, MAX_WAIT_MS);
  waiting.push(own);
}

async function drain(db: Database, all: Map<string, Waiting[]>, organizationId: string): Promise<void> {
  const waiting = all.get(organizationId) ?? [];
  while (waiting.length > 0) {
    const batch = waiting.splice(0, MAX_SHARING);
    for (const { timer } of batch) clearTimeout(timer);
    await settleBatch(db, organizationId, batch);
  }
  all.delete(organizationId);
}

/** Runs a batch in one transaction; when that fails for one of it, each alone. It never throws. */
async function settleBatch(db: Database, organizationId: string, batch: readonly Waiting[]): Promise<void> {
  try {
    const settled = await runBatch(db, organizationId, batch);
    settled.forEach((one, at) => {
      if ("error" in one) batch[at]?.reject(one.error);
      else batch[at]?.resolve(one.value);
    });
  } catch (error) {
    if (hasFailed("cacheIsCurrent", error)) {
      openRowCache(db, organizationId).invalidate();
      return settleBatch(db, organizationId, batch);
    }
    if (batch.length > 1 && (isTimeout(error) || !(toUnavailable(error) instanceof Unavailable))) {
      for (const each of batch) await settleBatch(db, organizationId, [each]);
    } else for (const { reject } of batch) reject(error);
  }
}

async function runBatch(db: Database, organizationId: string, batch: readonly Waiting[]): Promise<Settled[]> {
  const [settled, afterCommit] = await db.transaction(async (trx) => {
    const shared = beginShared(trx, db, organizationId);
    const all: Settled[] = [];
    let wrote = false;
    await findTogether(trx, shared, batch).catch(async (error) => {
      // The cached rows may be out of date, which fails what is sent behind it: then this throws, and all is run again.
      await shared.firstSyncId;
      throw error;
    });
    for (const { work } of batch) {
      const one = await runOne(trx, shared, work);
      all.push(one.settled);
      wrote ||= one.wrote;
    }
    if (!wrote) trx.undo();
    return [all, wrote ? await endShared(trx, shared) : undefined] as const;
  });
  afterCommit?.();
  return settled;
}
