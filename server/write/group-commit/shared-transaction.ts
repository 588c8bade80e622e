import { definePreparedStatement, knex } from "../../../db/builder.ts";
import { buildCheckSql } from "../../../db/checks.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { notFound } from "../../errors.ts";
import { createDerivedWrites, type DerivedWrites, sendPendingLog, takeDerivedStatements } from "../derived/derived.ts";
import { NO_PREFETCHED_ROWS, type PrefetchedRows } from "./found-together.ts";
import { readUrlKey } from "./log-context.ts";
import { openRowCache, type RowCache } from "./row-cache.ts";

/** A transaction of one organization, which several mutations share one after another. */
export interface SharedTransaction {
  organizationId: string;
  rows: RowCache;
  /**
   * Number of the transaction's first change, available once the transaction holds the lock. Rejects if the cached
   * rows are outdated.
   */
  firstSyncId: Promise<number>;
  /** The last change number used so far; undefined until known. */
  lastSyncId: number | undefined;
  /** The organization's `urlKey`, once a mutation has needed it. */
  urlKey: Promise<string> | undefined;
  /** Rows that were read for several mutations at once and are still current. */
  found: PrefetchedRows;
  /** Derived values and log entries that are written at the end of the transaction. */
  derived: DerivedWrites;
  /** Deliveries that were written, and the number of changes that the deliveries cover. */
  deliveries: { changes: number; written: Promise<readonly unknown[]>[] };
}

/**
 * Begins a shared transaction. The first statement locks out the organization's other writers and raises the change
 * counter by one, because most transactions log one change. With cached rows, the same statement fails if another
 * change was logged after `version`.
 */
export function beginSharedTransaction(trx: Transaction, db: Database, organizationId: string): SharedTransaction {
  const rows = openRowCache(db, organizationId);
  const firstSyncId = raiseCounter(trx, organizationId, rows);
  firstSyncId.catch(() => {});
  // The transaction sends the query for the URL key together with the query for the first change number, which must be
  // awaited anyway.
  const urlKey = rows.version === undefined ? readUrlKey(trx, rows, organizationId) : undefined;
  urlKey?.catch(() => {});
  return {
    organizationId,
    rows,
    firstSyncId,
    lastSyncId: rows.version,
    urlKey,
    found: NO_PREFETCHED_ROWS,
    derived: createDerivedWrites(),
    deliveries: { changes: 0, written: [] },
  };
}

const setLast = definePreparedStatement("set-sync", ["organizationId", "last"], ({ organizationId, last }) =>
  knex("sync").where({ organizationId }).update({ lastSyncId: last }),
);

/** Returns the number of the organization's last change so far. */
export async function readLastSyncId(shared: SharedTransaction): Promise<number> {
  shared.lastSyncId ??= (await shared.firstSyncId) - 1;
  return shared.lastSyncId;
}

/** Sends the writes that were deferred to the end of the transaction. */
export function sendDeferredWrites(trx: Transaction, shared: SharedTransaction): void {
  const { organizationId, derived, rows } = shared;
  sendPendingLog(trx, derived);
  const { deliveries, others } = takeDerivedStatements(organizationId, derived, rows.known.hooked !== false);
  if (deliveries) {
    const written = trx.query(deliveries.statement);
    // The transaction itself reports a failure of this statement, so the rejection is ignored here.
    written.catch(() => {});
    shared.deliveries.written.push(written);
    shared.deliveries.changes += deliveries.changes;
  }
  for (const statement of others) void trx.query(statement);
}

/**
 * Estimates how many of a committed transaction's deliveries belong to the given number of changes. The estimate is the
 * proportional share, rounded up.
 */
export async function countDeliveries({ deliveries }: SharedTransaction, changes: number): Promise<number> {
  if (changes === 0 || deliveries.changes === 0) return 0;
  const written = (await Promise.all(deliveries.written)).reduce((sum, rows) => sum + rows.length, 0);
  return Math.ceil((written * changes) / deliveries.changes);
}

/**
 * Ends a transaction that wrote. The first statement raised the change counter by one; if the transaction logged
 * another number of changes, sets the counter to the last change number. Returns a function to call after the commit.
 */
export async function endSharedTransaction(trx: Transaction, shared: SharedTransaction): Promise<() => void> {
  const { organizationId, rows } = shared;
  sendDeferredWrites(trx, shared);
  const first = rows.version === undefined ? await shared.firstSyncId : rows.version + 1;
  const last = await readLastSyncId(shared);
  if (last !== first) void trx.query(setLast({ organizationId, last }));
  return () => rows.commit(first - 1, last);
}

/**
 * Takes the lock of an organization's writers and the next change number. With cached rows, the statement fails if
 * another change was logged after `version`. Without cached rows, the statement also returns whether a webhook is
 * enabled.
 */
async function raiseCounter(trx: Transaction, organizationId: string, { version, known }: RowCache): Promise<number> {
  const [sync] = await trx.query<{ lastSyncId: number; hooked?: boolean }>(
    version === undefined ? raiseByOne({ organizationId }) : raiseFrom({ organizationId, version }),
  );
  if (!sync) throw notFound("organization", organizationId);
  // A value that is already set is kept, because the transaction itself may have registered a webhook in the meantime.
  known.hooked ??= sync.hooked;
  return sync.lastSyncId;
}

const raiseByOne = definePreparedStatement("raise-sync", ["organizationId"], ({ organizationId }) =>
  knex("sync")
    .where({ organizationId })
    .update({ lastSyncId: knex.raw(`"lastSyncId" + 1`) }, [
      "lastSyncId",
      knex.raw("exists (?) as hooked", [
        knex("webhook").where({ organizationId, enabled: true }).select(knex.raw("1")),
      ]),
    ] as string[]),
);

const raiseFrom = definePreparedStatement(
  "raise-sync-from",
  ["organizationId", "version"],
  ({ organizationId, version }) =>
    knex("sync")
      .where({ organizationId })
      .update(
        {
          lastSyncId: knex.raw(
            `case when ${buildCheckSql("cacheIsCurrent", `"lastSyncId" = ?`)} then "lastSyncId" + 1 end`,
            [version],
          ),
        },
        "lastSyncId",
      ),
);
