import { setTimeout as pause } from "node:timers/promises";
import { describeFullDisk } from "../errors/full-disk.ts";
import { type EngineThread, type MessageBatch, startThread } from "./thread.ts";

/** The embedded engine. Whenever the engine ends, the supervisor opens the engine again. */
export interface Supervisor {
  /**
   * Resolves when the engine accepts statements. If the engine has ended, first waits until the engine is open again.
   */
  ready(): Promise<unknown>;
  /** Same as `EngineThread.exchange`. If the engine has ended, first waits until the engine is open again. */
  exchange: EngineThread["exchange"];
  /** Same as `Thread.cancel`. */
  cancel: EngineThread["cancel"];
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** State of the supervisor. */
interface State {
  directory: string;
  warn: (message: string) => void;
  /** The running engine. After the engine has ended, a promise that resolves when the engine is open again. */
  thread: Promise<EngineThread>;
  closing: boolean;
}

/**
 * Opens the engine for a directory. Whenever the engine ends, opens the engine again; the pause before each further
 * attempt grows.
 * @throws the engine's error if the first opening fails
 */
export async function superviseEngine(directory: string, warn: (message: string) => void): Promise<Supervisor> {
  const first = await startThread(directory);
  const state: State = { directory, warn, thread: Promise.resolve(first), closing: false };
  watch(state, first);
  return {
    ready: () => state.thread,
    exchange: async (batch) => (await state.thread).exchange(batch),
    cancel(batch: MessageBatch) {
      state.thread.then((opened) => opened.cancel(batch), ignore);
    },
    async close() {
      state.closing = true;
      await state.thread.then((opened) => opened.close(), ignore);
    },
  };
}

const ignore = () => {};

/** Opens the engine again when the engine ends. */
function watch(state: State, opened: EngineThread): void {
  void opened.ended.then(() => {
    if (state.closing) return;
    void describeFullDisk(state.directory).then((why) =>
      state.warn(`The embedded database ended and is opened again${why}`),
    );
    state.thread = reopen(state);
    state.thread.catch(ignore);
  });
}

async function reopen(state: State): Promise<EngineThread> {
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    await pause(wait);
    if (state.closing) throw new Error("the embedded engine is closed");
    try {
      const opened = await startThread(state.directory);
      watch(state, opened);
      return opened;
    } catch (error) {
      state.warn(`The embedded database does not open: ${error}${await describeFullDisk(state.directory)}`);
    }
  }
}
