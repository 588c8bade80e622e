import { setTimeout as sleep } from "node:timers/promises";
import { createBatcher } from "../../../concurrency/batcher.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Runtime } from "../../runtime.ts";
import { type Attempt, recordAttempts } from "./record.ts";

/** Writes attempts down: what ends while one statement is under way goes together in the next. */
export interface Recorder {
  /** Resolves when the attempt is in the log. Waits for a database that is away, until `stop`. */
  record(attempt: Attempt): Promise<void>;
}

const PAUSE_MS = 500;

/** A recorder over the database; its queue is as long as there are deliveries on their way. */
export function createRecorder({ db }: Runtime, stop: AbortSignal): Recorder {
  const record = createBatcher<Attempt>(async (attempts) => {
    for (;;) {
      try {
        return await recordAttempts(db, attempts);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        await sleep(PAUSE_MS, undefined, { signal: stop, ref: false });
      }
    }
  });
  return { record };
}
