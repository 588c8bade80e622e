import type { Database, Transaction } from "./database.ts";

/** What a pipelined transaction hands to its work: every transaction is one. */
export type Pipeline = Transaction;

/** `db.transaction`, under the name it had before every transaction became a pipeline. */
export const pipelined: <T>(db: Database, work: (trx: Pipeline) => Promise<T>) => Promise<T> = (db, work) =>
  db.transaction(work);
