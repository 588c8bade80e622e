import { isFullDisk, tellFullDisk } from "./full-disk.ts";
import { Unavailable } from "./unavailable.ts";

/**
 * SQLSTATEs after which another try makes sense: connection (08), authorization of a server that worked (28), missing
 * database while it is restored (3D000), read-only standby (25006), idle and transaction time-outs (25P03, 25P04),
 * resources (53), conflict (40001, 40P01), lock time-out (55P03), shutdown and cancel (57).
 */
const TEMPORARY = /^(08|28|53|57|3D000|25006|25P03|25P04|40001|40P01|55P03)/;
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT)/;
/** Messages of the driver and the pool that have no code. */
const DRIVER =
  /Connection (terminated|ended)|not queryable|timeout expired|Query read timeout|trying to connect|after calling end/;

/** Room is made by people. */
const FULL_DISK_SECONDS = 30;

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "");

/** A statement was skipped because one before it in its transaction failed: the first failure tells what happened. */
export const isInFailedTransaction = (error: unknown): boolean => codeOf(error) === "25P02";

/** A reference that leads nowhere, or rows that others still refer to. */
export const isForeignKeyViolation = (error: unknown): boolean => codeOf(error) === "23503";

/** The connection was lost before COMMIT was sent: the transaction did not happen. */
export class Undone extends Error {
  constructor(cause: unknown) {
    super("the connection was lost before the end of the transaction", { cause });
    this.name = "Undone";
  }
}

/** The number of runs of work that met this error: it was undone whole. */
function maxRuns(error: unknown): number {
  if (error instanceof Undone) return 2;
  return /^(40001|40P01)$/.test(codeOf(error)) ? 4 : 1;
}

/** The error as callers of the database see it: `Unavailable` when another try makes sense, else the error itself. */
export function toUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Unavailable) return error;
  if (error instanceof Undone) return toUnavailable(error.cause);
  if (isFullDisk(error)) {
    tellFullDisk(error);
    return new Unavailable("The database is unavailable: its disk is full", FULL_DISK_SECONDS, { cause: error });
  }
  const code = codeOf(error);
  const temporary = TEMPORARY.test(code) || NETWORK.test(code) || (code === "" && DRIVER.test(error.message));
  return temporary ? new Unavailable("The database is unavailable or busy; try again", 1, { cause: error }) : error;
}

/** Runs `work` again while it meets deadlocks or serialization failures, and once after its connection was lost. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxRuns(error)) throw toUnavailable(error);
      await new Promise((resume) => setTimeout(resume, Math.random() * 20 * attempt));
    }
  }
}

/**
 * The constraint that a statement broke; empty when it broke none. What a node of Citus answers has no field for it, and
 * its name there carries the number of a shard.
 */
export function constraintOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const named = Reflect.get(error, "constraint") ?? /constraint "([^"]+)"/.exec(error.message)?.[1] ?? "";
  return String(named).replace(/_\d+$/, "");
}
