import { isFullDisk, warnIfDiskFull } from "./full-disk.ts";
import { UnavailableError } from "./unavailable.ts";

/**
 * SQLSTATEs after which a retry makes sense: connection (08), authorization on a server that worked before (28), a
 * database that is missing during a restore (3D000), a read-only standby (25006), idle and transaction timeouts (25P03,
 * 25P04), resources (53), conflicts (40001, 40P01), lock timeout (55P03), shutdown and cancel (57).
 */
const TEMPORARY = /^(08|28|53|57|3D000|25006|25P03|25P04|40001|40P01|55P03)/;
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT)/;
/** Messages of temporary errors for which the driver or the pool sets no code. */
const DRIVER =
  /Connection (terminated|ended)|not queryable|timeout expired|Query read timeout|trying to connect|after calling end/;

/** Seconds until a retry after a full disk. The time is long, because an operator must free space. */
const FULL_DISK_SECONDS = 30;

const readCode = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "");

/**
 * Returns true if PostgreSQL skipped a statement because an earlier statement of its transaction failed. The error of
 * the earlier statement contains the cause.
 */
export const isInFailedTransaction = (error: unknown): boolean => readCode(error) === "25P02";

/** Returns true if a referenced row is missing, or if other rows still refer to a row. */
export const isForeignKeyViolation = (error: unknown): boolean => readCode(error) === "23503";

/** Thrown when the connection was lost before COMMIT was sent. The transaction has no effect. */
export class TransactionLostError extends Error {
  constructor(cause: unknown) {
    super("the connection was lost before the end of the transaction", { cause });
    this.name = "Undone";
  }
}

/**
 * Returns how many times work may run in total if a run failed with this error. The failed run was rolled back
 * completely.
 */
function maxRuns(error: unknown): number {
  // The pool closed the connection because a node does not respond. A retry would be useless.
  if (error instanceof TransactionLostError) return error.cause instanceof UnavailableError ? 1 : 2;
  return /^(40001|40P01)$/.test(readCode(error)) ? 4 : 1;
}

/** Converts an error for callers of the database: `UnavailableError` if a retry makes sense, otherwise the same error. */
export function toUnavailableError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof UnavailableError) return error;
  if (error instanceof TransactionLostError) return toUnavailableError(error.cause);
  if (isFullDisk(error)) {
    warnIfDiskFull(error);
    return new UnavailableError("The database is unavailable: its disk is full", FULL_DISK_SECONDS, { cause: error });
  }
  const code = readCode(error);
  const temporary = TEMPORARY.test(code) || NETWORK.test(code) || (code === "" && DRIVER.test(error.message));
  return temporary
    ? new UnavailableError("The database is unavailable or busy; try again", 1, { cause: error })
    : error;
}

/** Runs `work`. Runs `work` again after deadlocks and serialization failures, and once after a lost connection. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxRuns(error)) throw toUnavailableError(error);
      await new Promise((resume) => setTimeout(resume, Math.random() * 20 * attempt));
    }
  }
}

/**
 * Returns the name of the violated constraint, or an empty text for any other error. In an error from a Citus node,
 * only the message contains the name, followed by the number of a shard.
 */
export function getViolatedConstraint(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const named = Reflect.get(error, "constraint") ?? /constraint "([^"]+)"/.exec(error.message)?.[1] ?? "";
  return String(named).replace(/_\d+$/, "");
}
