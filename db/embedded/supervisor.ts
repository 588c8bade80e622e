import { setTimeout as pause } from "node:timers/promises";
import { whetherFull } from "../errors/full-disk.ts";
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

/** The engine that is kept alive. */
interface State {
  directory: string;
  warn: (message: string) => void;
  /** The engine as it is now, or as it will be after a reopening. */
  thread: Promise<Thread>;
  closing: boolean;
}

/**
 * Opens the engine over a directory, and again, with growing pauses, whenever it ends.
 * @throws the engine's own error when the first opening fails
 */
export async function supervise(directory: string, warn: (message: string) => void): Promise<Supervisor> {
  const first = await startThread(directory);
  const state: State = { directory, warn, thread: Promise.resolve(first), closing: false };
  watch(state, first);
  return {
    ready: () => state.thread,
    exchange: async (batch) => (await state.thread).exchange(batch),
    cancel(batch: Batch) {
      state.thread.then((opened) => opened.cancel(batch), ignore);
    },
    async close() {
      state.closing = true;
      await state.thread.then((opened) => opened.close(), ignore);
    },
  };
}

const ignore = () => {};

/** Opens the engine again when it ends. */
function watch(state: State, opened: Thread): void {
  void opened.ended.then(() => {
    if (state.closing) return;
    void whetherFull(state.directory).then((why) =>
      state.warn(`The embedded database ended and is opened again${why}`),
    );
    state.thread = reopen(state);
    state.thread.catch(ignore);
  });
}

async function reopen(state: State): Promise<Thread> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    await pause(wait);
    if (state.closing) throw new Error("the embedded engine is closed");
    try {
      const opened = await startThread(state.directory);
      watch(state, opened);
      return opened;
    } catch (error) {
      state.warn(`The embedded database does not open: ${error}${await whetherFull(state.directory)}`);
    }
  }
}
