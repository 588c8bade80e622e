import { createGroupCommit, type Waiting } from "../../../concurrency/group-commit.ts";
import { hasFailed } from "../../../db/checks.ts";
import { toUnavailable } from "../../../db/errors/sqlstate.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import { type Database, readsAny, type Transaction, writesAny } from "../../../db/open.ts";
import { weakMemoize } from "../../cache.ts";
import { needsDerived, sendLog } from "../derived/derived.ts";
import { findTogether, NOTHING_FOUND, type Wanted } from "./found-together.ts";
import { openRowCache } from "./row-cache.ts";
import { beginShared, endShared, type SharedTransaction, writeDerived } from "./shared-transaction.ts";

/** Work in a transaction that others may share. */
type Work<T> = (trx: Transaction, shared: SharedTransaction) => Promise<T>;

/** The outcome of work. */
type Settled = { value: unknown } | { error: unknown };

/** Runs one piece of work. @throws when it failed after it wrote, or the database did: then all is undone */
async function runOne(
  trx: Transaction,
  shared: SharedTransaction,
  work: Work<unknown>,
): Promise<{ settled: Settled; wrote: boolean }> {
  let wrote = false;
  const query: Transaction["query"] = (statement, limit) => {
    if (needsDerived(shared.derived, statement)) writeDerived(trx, shared);
    const reads = statement.writes?.length === 0;
    if (!reads || readsAny(statement, ["change"])) sendLog(trx, shared.derived);
    if (!reads) {
      if (writesAny(statement, ["webhook"])) shared.rows.known.hooked = true;
      wrote = true;
      shared.found = NOTHING_FOUND;
    }
    return trx.query(statement, limit);
  };
  try {
    return { settled: { value: await work({ ...trx, query }, shared) }, wrote };
  } catch (error) {
    // The work may have refused because of a cached row that is out of date: this throws then, and all is run again.
    await shared.firstSyncId;
    if (wrote || isFailure(error)) throw error;
    return { settled: { error }, wrote };
  }
}

/** Tells whether a statement took too long: what shared its transaction is then run again. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Unavailable && Reflect.get(Object(error.cause), "code") === "57014";

/** Tells whether the database failed, and not the work. */
const isFailure = (error: unknown): boolean =>
  error instanceof Unavailable || (error instanceof Error && "code" in error);

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
