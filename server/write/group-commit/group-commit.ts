import { createGroupCommit, type WaitingItem } from "../../../concurrency/group-commit.ts";
import { hasFailedCheck } from "../../../db/checks.ts";
import { toUnavailableError } from "../../../db/errors/sqlstate.ts";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import { type Database, readsAny, type Transaction, writesAny } from "../../../db/open.ts";
import { weakMemoize } from "../../cache.ts";
import { needsDerivedWritesFirst, sendPendingLog } from "../derived/derived.ts";
import { NO_PREFETCHED_ROWS, prefetchRows, type RowPrefetch } from "./found-together.ts";
import { openRowCache } from "./row-cache.ts";
import {
  beginSharedTransaction,
  endSharedTransaction,
  type SharedTransaction,
  sendDeferredWrites,
} from "./shared-transaction.ts";

/** Function that runs in a transaction, which other work may share. */
type Work<T> = (trx: Transaction, shared: SharedTransaction) => Promise<T>;

type Settled = { value: unknown } | { error: unknown };

/**
 * Runs one piece of work. @throws if the work failed after a write, or if the database failed. The caller then rolls
 * everything back.
 */
async function runOne(
  trx: Transaction,
  shared: SharedTransaction,
  work: Work<unknown>,
): Promise<{ settled: Settled; wrote: boolean }> {
  let wrote = false;
  const query: Transaction["query"] = (statement, limit) => {
    if (needsDerivedWritesFirst(shared.derived, statement)) sendDeferredWrites(trx, shared);
    const reads = statement.writes?.length === 0;
    if (!reads || readsAny(statement, ["change"])) sendPendingLog(trx, shared.derived);
    if (!reads) {
      if (writesAny(statement, ["webhook"])) shared.rows.known.hooked = true;
      wrote = true;
      shared.found = NO_PREFETCHED_ROWS;
    }
    return trx.query(statement, limit);
  };
  try {
    return { settled: { value: await work({ ...trx, query }, shared) }, wrote };
  } catch (error) {
    // The error may result from an outdated cached row. `firstSyncId` then rejects, and the caller runs everything
    // again.
    await shared.firstSyncId;
    if (wrote || isFailure(error)) throw error;
    return { settled: { error }, wrote };
  }
}

/** Returns true if a statement exceeded its time limit. The mutations that shared the transaction then run again. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof UnavailableError && Reflect.get(Object(error.cause), "code") === "57014";

/** Returns true if the database failed, rather than the work itself. */
const isFailure = (error: unknown): boolean =>
  error instanceof UnavailableError || (error instanceof Error && "code" in error);

/** Work that waits for a transaction, and the rows that the work needs. */
interface Item {
  db: Database;
  organizationId: string;
  work: Work<unknown>;
  wanted: RowPrefetch;
}

type Load = readonly WaitingItem<Item, unknown>[];

/** Maximum pieces of work per transaction. */
const MOST = { rows: 16, bytes: Number.POSITIVE_INFINITY };
const REFUSALS = {
  full: "Too many changes are waiting to be stored; try again",
  late: "The change was not stored in time; try again",
};

/**
 * Runs work in a transaction that locks the organization against other writers. Work that arrives during a running
 * transaction waits and shares the next transaction: one BEGIN, one query for the rows in `wanted`, one COMMIT and
 * one connection for all. Sharing only improves speed. Other processes have their own queues, and the database lock
 * separates all transactions of an organization.
 * @throws UnavailableError if too much work waits, or work waits too long
 */
export function runInGroupCommit<T>(
  db: Database,
  organizationId: string,
  work: Work<T>,
  wanted: RowPrefetch,
): Promise<T> {
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
    refusal: (reason) => new UnavailableError(REFUSALS[reason]),
    commit: (load) => db.as("short", () => commit(load), load[0]?.item.organizationId),
  }),
);

/** Commits a load in one transaction. If one piece of work makes the transaction fail, commits each piece alone. */
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
    if (hasFailedCheck("cacheIsCurrent", error)) {
      openRowCache(db, organizationId).invalidate();
      return commit(load);
    }
    const mayBeOnes = isStatementTimeout(error) || !(toUnavailableError(error) instanceof UnavailableError);
    if (load.length === 1 || !mayBeOnes) throw error;
    for (const one of load) await commit([one]).catch(one.reject);
  }
}

async function runBatch(db: Database, organizationId: string, load: Load): Promise<Settled[]> {
  const items = load.map(({ item }) => item);
  const [settled, afterCommit] = await db.transaction(async (trx) => {
    const shared = beginSharedTransaction(trx, db, organizationId);
    const all: Settled[] = [];
    let wrote = false;
    await prefetchRows(trx, shared, items).catch(async (error) => {
      // Outdated cached rows make later statements fail. `firstSyncId` then rejects, and the caller runs everything
      // again.
      await shared.firstSyncId;
      throw error;
    });
    for (const { work } of items) {
      const one = await runOne(trx, shared, work);
      all.push(one.settled);
      wrote ||= one.wrote;
    }
    if (!wrote) trx.undo();
    return [all, wrote ? await endSharedTransaction(trx, shared) : undefined] as const;
  });
  afterCommit?.();
  return settled;
}
