import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";

/** The engine's thread, kept alive: what the bridge talks to. */
export interface Supervisor {
  /** Resolves when the engine takes statements, after a reopening if need be. */
  ready(): Promise<void>;
  /**
   * Sends one batch of wire messages; `onBytes` gets the answer in pieces. Rejects when the engine ends meanwhile.
   * @param limit milliseconds after which the engine is ended and opened again: equal to a kill, nothing
   * acknowledged is lost
   */
  exchange(bytes: Uint8Array, limit: number, onBytes: (bytes: Uint8Array) => void): Promise<void>;
  close(): Promise<void>;
}

interface Exchange {
  onBytes(bytes: Uint8Array): void;
  resolve(): void;
  reject(error: Error): void;
}

type Answer = { ready: true } | { id: number; bytes: Uint8Array; done: boolean };

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const CLOSE_LIMIT_MS = 10_000;

/**
 * Starts the engine over a directory and opens it again, with growing pauses, whenever its thread ends.
 * @throws the engine's own error when the first opening fails
 */
export async function supervise(directory: string, warn: (message: string) => void): Promise<Supervisor> {
  const exchanges = new Map<number, Exchange>();
  let closing = false;
  let lastId = 0;
  let worker: Worker;
  let opened: Promise<void>;

  // The baseline compiler alone: 25 MB less and a quicker start, for 30 % on statements that compute a lot.
  setFlagsFromString("--liftoff-only");

  const open = () => {
    worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: { directory }, execArgv: [] });
    return new Promise<void>((resolve, reject) => {
      let failure = new Error("the embedded engine ended");
      worker.on("message", (answer: Answer) => ("ready" in answer ? resolve() : deliver(answer)));
      worker.once("error", (error) => {
        failure = error;
      });
      worker.once("exit", () => {
        reject(failure);
        const lost = Object.assign(new Error("the embedded engine ended", { cause: failure }), { code: "ECONNRESET" });
        for (const exchange of exchanges.values()) exchange.reject(lost);
        exchanges.clear();
      });
    });
  };

  const deliver = ({ id, bytes, done }: Exclude<Answer, { ready: true }>) => {
    const exchange = exchanges.get(id);
    exchange?.onBytes(bytes);
    if (!done) return;
    exchanges.delete(id);
    exchange?.resolve();
  };

  const reopen = async (pause: number): Promise<void> => {
    await new Promise((resume) => setTimeout(resume, pause));
    if (closing) return;
    try {
      await open();
    } catch (error) {
      warn(`The embedded database does not open: ${error}`);
      return reopen(Math.min(pause * 2, LONGEST_PAUSE_MS));
    }
    watch();
  };

  const watch = () =>
    worker.once("exit", () => {
      if (closing) return;
      warn("The embedded database ended and is opened again");
      opened = reopen(FIRST_PAUSE_MS);
    });

  opened = open();
  await opened;
  watch();
  return {
    ready: () => opened,
    exchange(bytes, limit, onBytes) {
      const id = ++lastId;
      const timer = setTimeout(() => void worker.terminate(), limit);
      return new Promise<void>((resolve, reject) => {
        exchanges.set(id, { onBytes, resolve, reject });
        worker.postMessage({ id, bytes });
      }).finally(() => clearTimeout(timer));
    },
    async close() {
      closing = true;
      await opened.catch(() => {});
      const ended = new Promise((resolve) => worker.once("exit", resolve));
      worker.postMessage({ close: true });
      const timer = setTimeout(() => void worker.terminate(), CLOSE_LIMIT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
