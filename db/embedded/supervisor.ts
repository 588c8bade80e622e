import { setTimeout as pause } from "node:timers/promises";
import { type Batch, startThread, type Thread } from "./thread.ts";

/** The engine, kept alive: what the bridge talks to. */
export interface Supervisor {
  /** Resolves when the engine takes statements, after a reopening if need be. */
  ready(): Promise<unknown>;
  /** As `Thread.exchange`; an engine that ended is opened again. */
  exchange: Thread["exchange"];
  /** As `Thread.cancel`. */
  cancel: Thread["cancel"];
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Opens the engine over a directory, and again, with growing pauses, whenever it ends.
 * @throws the engine's own error when the first opening fails
 */
export async function supervise(directory: string, warn: (message: string) => void): Promise<Supervisor> {
  let closing = false;

  const watch = (opened: Thread): Thread => {
    void opened.ended.then(() => {
      if (closing) return;
      warn("The embedded database ended and is opened again");
      thread = reopen();
      thread.catch(() => {});
    });
    return opened;
  };
  const reopen = async (): Promise<Thread> => {
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      await pause(wait);
      if (closing) throw new Error("the embedded engine is closed");
      try {
        return watch(await startThread(directory));
      } catch (error) {
        warn(`The embedded database does not open: ${error}`);
      }
    }
  };

  let thread = Promise.resolve(watch(await startThread(directory)));
  return {
    ready: () => thread,
    exchange: async (batch) => (await thread).exchange(batch),
    cancel(batch: Batch) {
      thread.then(
        (opened) => opened.cancel(batch),
        () => {},
      );
    },
    async close() {
      closing = true;
      await thread.then(
        (opened) => opened.close(),
        () => {},
      );
    },
  };
}
