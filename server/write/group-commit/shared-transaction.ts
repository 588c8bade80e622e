import type { Database, Transaction } from "../../../db/open.ts";
import { notFound } from "../../errors.ts";
import { openRowCache, type RowCache } from "./row-cache.ts";

/** A transaction of an organization, which several mutations share one after another. */
export interface SharedTransaction {
  organizationId: string;
  rows: RowCache;
  /** The number of its first change, once the lock is held. Rejects when the cached rows are out of date. */
  firstSyncId: Promise<number>;
  /** The last number taken so far; undefined until it is known. */
  lastSyncId: number | undefined;
}

/**
 * Begins one: the first statement raises the organization's change counter by the one change most transactions make,
 * and so locks out its other writers. When there are cached rows, the same statement fails if another change came
 * after them.
 */
export function beginShared(trx: Transaction, db: Database, organizationId: string): SharedTransaction {
  const rows = openRowCache(db, organizationId);
  const firstSyncId = raiseCounter(trx, organizationId, rows.version);
  firstSyncId.catch((error) => {
    if (isStale(error)) rows.invalidate();
  });
  return { organizationId, rows, firstSyncId, lastSyncId: rows.version };
}

async function raiseCounter(trx: Transaction, organizationId: string, version: number | undefined): Promise<number> {
  const [by, values] = version === undefined ? ["1", []] : [`1 / ("lastSyncId" = $2)::integer`, [version]];
  const [sync] = await trx.query<{ lastSyncId: number }>({
    name: version === undefined ? "raise-sync" : "raise-sync-from",
    text: `update sync set "lastSyncId" = "lastSyncId" + ${by} where "organizationId" = $1 returning "lastSyncId"`,
    values: [organizationId, ...values],
  });
  if (!sync) throw notFound("organization", organizationId);
  return sync.lastSyncId;
}

/** Whether a transaction failed because its cached rows were out of date: then PostgreSQL divided by zero. */
export const isStale = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "22012";

/** The number of the last change so far. */
export async function lastSyncIdOf(shared: SharedTransaction): Promise<number> {
  shared.lastSyncId ??= (await shared.firstSyncId) - 1;
  return shared.lastSyncId;
}

/**
 * Ends a transaction that wrote. The counter was raised by one: where it took another number of changes, the
 * organization's row is set to the last. Returns what to do once it is committed.
 */
export async function endShared(trx: Transaction, shared: SharedTransaction): Promise<() => void> {
  const { organizationId, rows } = shared;
  const first = rows.version === undefined ? await shared.firstSyncId : rows.version + 1;
  const last = await lastSyncIdOf(shared);
  if (last !== first) {
    const text = `update sync set "lastSyncId" = $2 where "organizationId" = $1`;
    void trx.query({ name: "set-sync", text, values: [organizationId, last] });
  }
  return () => rows.commit(first - 1, last);
}
