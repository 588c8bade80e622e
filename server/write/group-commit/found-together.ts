import type { Transaction } from "../../../db/open.ts";
import { isPlain, separateOf } from "../derived/separate.ts";
import type { Reference } from "../load.ts";
import type { Found } from "../rows.ts";
import { keyOf, type Write } from "../write.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/** Rows by key, as they are read for several mutations at once; null = there is none. */
export type FoundRows = ReadonlyMap<string, Found | null>;

/** References that a mutation is going to ask for first, and the way to read them. */
export interface Wanted {
  references: readonly Reference[];
  load(trx: Transaction, shared: SharedTransaction, references: readonly Reference[]): Promise<FoundRows>;
}

export const NOTHING_FOUND: FoundRows = new Map();

/**
 * Reads what the mutations of a transaction are about in one statement, so that none of them has to wait for its own:
 * what they write then travels together.
 */
export async function findTogether(
  trx: Transaction,
  shared: SharedTransaction,
  batch: readonly { wanted: Wanted }[],
): Promise<void> {
  const references = batch.flatMap(({ wanted }) => wanted.references);
  if (references.length > 1) shared.found = (await batch[0]?.wanted.load(trx, shared, references)) ?? NOTHING_FOUND;
}

/** The rows found that still are like that once a mutation has written: none but after a plain change of others. */
export function stillTrue(write: Write, found: FoundRows): FoundRows {
  if (found.size === 0) return found;
  if (!isPlain(write)) return NOTHING_FOUND;
  const left = new Map(found);
  for (const operation of write.operations) {
    const { entity, id } = separateOf(write.model, operation) ?? {};
    if (entity && id !== undefined) left.delete(keyOf(entity.name, id));
  }
  return left;
}
