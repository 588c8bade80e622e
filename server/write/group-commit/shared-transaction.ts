import { compiled, knex } from "../../../db/builder.ts";
import { checkSql } from "../../../db/checks.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { notFound } from "../../errors.ts";
import { type Derived, derivedStatements, nothingDerived, sendLog } from "../derived/derived.ts";
import { type FoundRows, NOTHING_FOUND } from "./found-together.ts";
import { readUrlKey } from "./log-context.ts";
import { openRowCache, type RowCache } from "./row-cache.ts";

/** A transaction of an organization, which several mutations share one after another. */
export interface SharedTransaction {
  organizationId: string;
  rows: RowCache;
  /** The number of its first change, once the lock is held. Rejects when the cached rows are out of date. */
  firstSyncId: Promise<number>;
  /** The last number taken so far; undefined until it is known. */
  lastSyncId: number | undefined;
  /** The organization's urlKey, once something needs it. */
  urlKey: Promise<string> | undefined;
  /** Rows that were read for several of them at once, as long as they are true. */
  found: FoundRows;
  /** Consequences that are written at the end. */
  derived: Derived;
  /** The deliveries that were written, and the number of changes that they are of. */
  deliveries: { changes: number; written: Promise<readonly unknown[]>[] };
}

/**
 * Begins one: the first statement raises the organization's change counter by the one change most transactions make,
 * and so locks out its other writers. When there are cached rows, the same statement fails if another change came
 * after them.
 */
export function beginShared(trx: Transaction, db: Database, organizationId: string): SharedTransaction {
  const rows = openRowCache(db, organizationId);
  const firstSyncId = raiseCounter(trx, organizationId, rows);
  firstSyncId.catch(() => {});
  // This travels with the first number, where that is waited for.
  const urlKey = rows.version === undefined ? readUrlKey(trx, rows, organizationId) : undefined;
  urlKey?.catch(() => {});
  return {
    organizationId,
    rows,
    firstSyncId,
    lastSyncId: rows.version,
    urlKey,
    found: NOTHING_FOUND,
    derived: nothingDerived(),
    deliveries: { changes: 0, written: [] },
  };
}

const setLast = compiled("set-sync", ["organizationId", "last"], ({ organizationId, last }) =>
  knex("sync").where({ organizationId }).update({ lastSyncId: last }),
);

/** The number of the last change so far. */
export async function lastSyncIdOf(shared: SharedTransaction): Promise<number> {
  shared.lastSyncId ??= (await shared.firstSyncId) - 1;
  return shared.lastSyncId;
}

/** Sends what was left to the end. */
export function writeDerived(trx: Transaction, shared: SharedTransaction): void {
  const { organizationId, derived, rows } = shared;
  sendLog(trx, derived);
  const { deliveries, others } = derivedStatements(organizationId, derived, rows.known.hooked !== false);
  if (deliveries) {
    const written = trx.query(deliveries.statement);
    // Its failure is the transaction's.
    written.catch(() => {});
    shared.deliveries.written.push(written);
    shared.deliveries.changes += deliveries.changes;
  }
  for (const statement of others) void trx.query(statement);
}

/** The number of deliveries that fall to so many of the changes of a transaction that was committed. */
export async function deliveriesOf({ deliveries }: SharedTransaction, changes: number): Promise<number> {
  if (changes === 0 || deliveries.changes === 0) return 0;
  const written = (await Promise.all(deliveries.written)).reduce((sum, rows) => sum + rows.length, 0);
  return Math.ceil((written * changes) / deliveries.changes);
}

/**
 * Ends a transaction that wrote. The counter was raised by one: where it took another number of changes, the
 * organization's row is set to the last. Returns what to do once it is committed.
 */
export async function endShared(trx: Transaction, shared: SharedTransaction): Promise<() => void> {
  const { organizationId, rows } = shared;
  writeDerived(trx, shared);
  const first = rows.version === undefined ? await shared.firstSyncId : rows.version + 1;
  const last = await lastSyncIdOf(shared);
  if (last !== first) void trx.query(setLast({ organizationId, last }));
  return () => rows.commit(first - 1, last);
}

/**
 * Takes the lock of an organization's writers, and its next change number. With cached rows the statement fails if another
 * change came after them; without, it learns whether there is a webhook.
 */
async function raiseCounter(trx: Transaction, organizationId: string, { version, known }: RowCache): Promise<number> {
  const [sync] = await trx.query<{ lastSyncId: number; hooked?: boolean }>(
    version === undefined ? raiseByOne({ organizationId }) : raiseFrom({ organizationId, version }),
  );
  if (!sync) throw notFound("organization", organizationId);
  // The transaction itself may have registered one meanwhile.
  known.hooked ??= sync.hooked;
  return sync.lastSyncId;
}

const raiseByOne = compiled("raise-sync", ["organizationId"], ({ organizationId }) =>
  knex("sync")
    .where({ organizationId })
    .update({ lastSyncId: knex.raw(`"lastSyncId" + 1`) }, [
      "lastSyncId",
      knex.raw("exists (?) as hooked", [
        knex("webhook").where({ organizationId, enabled: true }).select(knex.raw("1")),
      ]),
    ] as string[]),
);

const raiseFrom = compiled("raise-sync-from", ["organizationId", "version"], ({ organizationId, version }) =>
  knex("sync")
    .where({ organizationId })
    .update(
      {
        lastSyncId: knex.raw(`case when ${checkSql("cacheIsCurrent", `"lastSyncId" = ?`)} then "lastSyncId" + 1 end`, [
          version,
        ]),
      },
      "lastSyncId",
    ),
);
