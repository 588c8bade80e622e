import type { Transaction } from "../../../db/open.ts";
import type { Reference } from "../load.ts";
import type { Found } from "../rows.ts";
import { keyOf, type Write } from "../write.ts";
import type { SharedTransaction } from "./shared-transaction.ts";

/** Rows by key, as they are read for several mutations at once; null = there is none. */
export type FoundRows = ReadonlyMap<string, Found | null>;

/** What a mutation is going to ask for first, and how such rows are read. */
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

/** Tables whose rows say nothing of rows of other issues and comments. */
const PLAIN = new Set(["issue", "comment", "issueLabelLink"]);

/** Whether a mutation writes nothing but issues, their comments and labels, and counters. */
export const isPlain = ({ operations, followUps, direct }: Write): boolean =>
  !direct &&
  followUps.length === 0 &&
  operations.every(
    (operation) =>
      (PLAIN.has(operation.table) && operation.kind !== "remove") ||
      (operation.kind === "update" && Object.keys(operation.patch).join() === "issueCounter"),
  );

/** Which of the rows found still are like that once a mutation has written: none but after a plain change of others. */
export function stillTrue(write: Write, found: FoundRows): FoundRows {
  if (found.size === 0) return found;
  if (!isPlain(write)) return NOTHING_FOUND;
  const left = new Map(found);
  for (const operation of write.operations) {
    if (operation.kind !== "update") continue;
    for (const entity of ["Issue", "Comment"]) left.delete(keyOf(entity, String(operation.where["id"])));
  }
  return left;
}
