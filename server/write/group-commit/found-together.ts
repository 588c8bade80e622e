import type { Transaction } from "../../../db/open.ts";
import { findSeparateRow, isPlainMutation } from "../derived/separate.ts";
import type { Reference } from "../load.ts";
import type { Found } from "../rows.ts";
import { rowKey, type Write } from "../write.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/** Rows by key, read once for several mutations. Null means that no row exists. */
export type FoundRows = ReadonlyMap<string, Found | null>;

/** References that a mutation needs first, and the function that loads the referenced rows. */
export interface Wanted {
  references: readonly Reference[];
  load(trx: Transaction, shared: SharedTransaction, references: readonly Reference[]): Promise<FoundRows>;
}

export const NOTHING_FOUND: FoundRows = new Map();

/**
 * Reads the first rows of all mutations in a transaction with one statement, so that no mutation waits for a query of
 * its own. The writes can then be sent together.
 */
export async function readFirstRows(
  trx: Transaction,
  shared: SharedTransaction,
  batch: readonly { wanted: Wanted }[],
): Promise<void> {
  const references = batch.flatMap(({ wanted }) => wanted.references);
  if (references.length > 1) shared.found = (await batch[0]?.wanted.load(trx, shared, references)) ?? NOTHING_FOUND;
}

/**
 * Returns the rows that are still current after a mutation wrote. After a mutation that is not plain, no row counts
 * as current.
 */
export function stillCurrent(write: Write, found: FoundRows): FoundRows {
  if (found.size === 0) return found;
  if (!isPlainMutation(write)) return NOTHING_FOUND;
  const left = new Map(found);
  for (const operation of write.operations) {
    const { entity, id } = findSeparateRow(write.model, operation) ?? {};
    if (entity && id !== undefined) left.delete(rowKey(entity.name, id));
  }
  return left;
}
