import { Unavailable } from "./unavailable.ts";

/**
 * SQLSTATEs of trouble that passes: connection (08), authorization of a server that worked (28), missing database
 * while it is restored (3D000), read-only standby (25006), idle time-out (25P03), resources (53), conflict (40001,
 * 40P01), lock time-out (55P03), shutdown and cancel (57).
 */
const PASSING = /^(08|28|53|57|3D000|25006|25P03|40001|40P01|55P03)/;
const NETWORK = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|ENOENT)/;
/** What the driver and the pool say without a code. */
const DRIVER =
  /Connection (terminated|ended)|not queryable|timeout expired|Query read timeout|trying to connect|after calling end/;

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : "");

/** Whether the statement was undone whole and may simply run again. */
export const mayRunAgain = (error: unknown): boolean => /^(40001|40P01)$/.test(codeOf(error));

/** The error as callers of the database see it: `Unavailable` for trouble that passes, else the error itself. */
export function toUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Unavailable) return error;
  const code = codeOf(error);
  const passing = PASSING.test(code) || NETWORK.test(code) || (code === "" && DRIVER.test(error.message));
  return passing ? new Unavailable("The database is unavailable or busy; try again", 1, { cause: error }) : error;
}

/** Runs `work` up to four times while it meets deadlocks or serialization failures. */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 4 || !mayRunAgain(error)) throw toUnavailable(error);
      await new Promise((resume) => setTimeout(resume, Math.random() * 20 * attempt));
    }
  }
}
