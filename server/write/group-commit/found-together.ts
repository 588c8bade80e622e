import type { Transaction } from "../../../db/open.ts";
import { findSeparateRow, isPlainMutation } from "../derived/separate.ts";
import type { EntityReference } from "../load.ts";
import type { LoadedRow } from "../rows.ts";
import { buildRowKey, type WriteContext } from "../write.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/** Rows by key, read once for several mutations. Null means that no row exists. */
export type PrefetchedRows = ReadonlyMap<string, LoadedRow | null>;

/** References that a mutation needs first, and the function that loads the referenced rows. */
export interface RowPrefetch {
  references: readonly EntityReference[];
  load(trx: Transaction, shared: SharedTransaction, references: readonly EntityReference[]): Promise<PrefetchedRows>;
}

export const NO_PREFETCHED_ROWS: PrefetchedRows = new Map();

/**
 * Reads the rows that all mutations of a transaction need first, with one statement, so that no mutation waits for a
 * query of its own. The writes can then be sent together.
 */
export async function prefetchRows(
  trx: Transaction,
  shared: SharedTransaction,
  batch: readonly { wanted: RowPrefetch }[],
): Promise<void> {
  const references = batch.flatMap(({ wanted }) => wanted.references);
  if (references.length > 1)
    shared.found = (await batch[0]?.wanted.load(trx, shared, references)) ?? NO_PREFETCHED_ROWS;
}

/**
 * Returns the rows that are still current after a mutation wrote. After a mutation that is not plain, no row counts
 * as current.
 */
export function keepCurrentRows(write: WriteContext, found: PrefetchedRows): PrefetchedRows {
  if (found.size === 0) return found;
  if (!isPlainMutation(write)) return NO_PREFETCHED_ROWS;
  const left = new Map(found);
  for (const operation of write.operations) {
    const { entity, id } = findSeparateRow(write.model, operation) ?? {};
    if (entity && id !== undefined) left.delete(buildRowKey(entity.name, id));
  }
  return left;
}
