import { createGroupCommit, type Waiting } from "../../../concurrency/group-commit.ts";
import { hasFailed } from "../../../db/checks.ts";
import { toUnavailable } from "../../../db/errors/sqlstate.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import { weakMemoize } from "../../cache.ts";
import { findTogether, type Wanted } from "./found-together.ts";
import { openRowCache } from "./row-cache.ts";
import { beginShared, endShared } from "./shared-transaction.ts";
import { isTimeout, runOne, type Settled, type Work } from "./work.ts";

/** Work that waits for a transaction, and the rows that it is about. */
interface Item {
  db: Database;
  organizationId: string;
  work: Work<unknown>;
  wanted: Wanted;
}

type Load = readonly Waiting<Item, unknown>[];

/** Most pieces of work that share a transaction. */
const MOST = { rows: 16, bytes: Number.POSITIVE_INFINITY };
const REFUSALS = { full: "Too many changes wait; try again", late: "The change waited too long; try again" };

/**
 * Runs work in a transaction that locks the organization against its other writers. Work that comes while one is
 * running waits and shares the next: one BEGIN, one query for the rows that it is about (`wanted`), one COMMIT and one
 * connection for all of it. This is for speed only; other processes have queues of their own, and the lock in the database keeps all of them apart.
 * @throws Unavailable when too much waits, or for too long
 */
export function groupCommit<T>(db: Database, organizationId: string, work: Work<T>, wanted: Wanted): Promise<T> {
  const submit = commitsOf(db);
  const demand = { key: organizationId, rows: 1, bytes: 0 };
  return submit(organizationId, { db, organizationId, work, wanted }, demand) as Promise<T>;
}

const commitsOf = weakMemoize((db: Database) =>
  createGroupCommit<Item, unknown>({
    most: MOST,
    parallel: 1,
    maxWaiting: 1_000,
    maxWaitMs: 5_000,
    refusal: (reason) => new Unavailable(REFUSALS[reason]),
    commit: (load) => db.as("short", () => commit(load), load[0]?.item.organizationId),
  }),
);

/** Commits a load in one transaction; when that fails for one of it, each alone. */
async function commit(load: Load): Promise<void> {
  const [first] = load;
  if (!first) return;
  const { db, organizationId } = first.item;
  try {
    const settled = await runBatch(db, organizationId, load);
    settled.forEach((one, at) => {
      if ("error" in one) load[at]?.reject(one.error);
      else load[at]?.resolve(one.value);
    });
  } catch (error) {
    if (hasFailed("cacheIsCurrent", error)) {
      openRowCache(db, organizationId).invalidate();
      return commit(load);
    }
    const mayBeOnes = isTimeout(error) || !(toUnavailable(error) instanceof Unavailable);
    if (load.length === 1 || !mayBeOnes) throw error;
    for (const one of load) await commit([one]).catch(one.reject);
  }
}

async function runBatch(db: Database, organizationId: string, load: Load): Promise<Settled[]> {
  const items = load.map(({ item }) => item);
  const [settled, afterCommit] = await db.transaction(async (trx) => {
    const shared = beginShared(trx, db, organizationId);
    const all: Settled[] = [];
    let wrote = false;
    await findTogether(trx, shared, items).catch(async (error) => {
      // The cached rows may be out of date, which fails what is sent behind it: then this throws, and all is run again.
      await shared.firstSyncId;
      throw error;
    });
    for (const { work } of items) {
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
