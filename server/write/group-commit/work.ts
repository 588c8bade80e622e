import { Unavailable } from "../../../db/errors/unavailable.ts";
import { readsAny, type Transaction, writesAny } from "../../../db/open.ts";
import { needsDerived, sendLog } from "../derived/derived.ts";
import { NOTHING_FOUND } from "./found-together.ts";
import { type SharedTransaction, writeDerived } from "./shared-transaction.ts";

/** Work in a transaction that others may share. */
export type Work<T> = (trx: Transaction, shared: SharedTransaction) => Promise<T>;

/** The outcome of work. */
export type Settled = { value: unknown } | { error: unknown };

/** Runs one piece of work. @throws when it failed after it wrote, or the database did: then all is undone */
export async function runOne(
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
