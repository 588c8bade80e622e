import { setTimeout as sleep } from "node:timers/promises";
import { Unavailable } from "../../../db/unavailable.ts";
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
  let waiting: Attempt[] = [];
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    const attempts = waiting;
    waiting = [];
    for (;;) {
      try {
        return await recordAttempts(db, attempts);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        await sleep(PAUSE_MS, undefined, { signal: stop, ref: false });
      }
    }
  };

  return {
    async record(attempt) {
      waiting.push(attempt);
      // Whoever comes while a statement is under way shares the next one.
      while (writing && waiting.includes(attempt)) await writing.catch(() => {});
      if (!waiting.includes(attempt)) return writing;
      writing = write().finally(() => {
        writing = undefined;
      });
      return writing;
    },
  };
}
