import { setTimeout as sleep } from "node:timers/promises";
import { createGroupCommit } from "../../../concurrency/group-commit.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import type { Runtime } from "../../runtime.ts";
import { type Attempt, recordAttempts } from "./record.ts";

/** Writes attempts down: what ends while one statement is under way goes together in the next. */
export interface Recorder {
  /** Resolves when the attempt is in the log. Waits for a database that is away, until `stop`. */
  record(attempt: Attempt): Promise<void>;
}

const PAUSE_MS = 500;
/** Attempts of one statement. */
const MOST = 128;

/** A recorder over the database; its queue is as long as there are deliveries on their way. */
export function createRecorder({ db }: Runtime, stop: AbortSignal): Recorder {
  const record = createGroupCommit<Attempt, void>({
    most: { rows: MOST, bytes: Number.POSITIVE_INFINITY },
    parallel: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    maxWaitMs: Number.POSITIVE_INFINITY,
    refusal: () => new Unavailable("too many attempts wait to be recorded"),
    async commit(load) {
      const attempts = load.map(({ item }) => item);
      while (!(await isRecorded(db, attempts))) await sleep(PAUSE_MS, undefined, { signal: stop, ref: false });
      for (const { resolve } of load) resolve();
    },
  });
  return { record: (attempt) => record("", attempt, { key: attempt.delivery.organizationId, rows: 1, bytes: 0 }) };
}

/** False while the database is away. */
async function isRecorded(db: Database, attempts: readonly Attempt[]): Promise<boolean> {
  try {
    await recordAttempts(db, attempts);
    return true;
  } catch (error) {
    if (error instanceof Unavailable) return false;
    throw error;
  }
}
