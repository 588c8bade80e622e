import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { runningBatch } from "./running.js";

/** Wire messages that the engine answers in one go. */
export interface Batch {
  bytes: Uint8Array;
  /** Milliseconds after which what runs is cancelled. */
  limit: number;
  /** Gets the answer in pieces. */
  onBytes(bytes: Uint8Array): void;
}

/** One life of the engine: a worker that has the directory open until it ends, for whatever reason. */
export interface Thread {
  /** Resolves when a batch is answered. Rejects when the engine ends meanwhile. */
  exchange(batch: Batch): Promise<void>;
  /** Has PostgreSQL cancel the statement of a batch that it works at; any other batch stays as it is. */
  cancel(batch: Batch): void;
  /** Resolves when the thread is no more. */
  ended: Promise<void>;
  /** Ends the engine with a checkpoint, within 10 s. */
  close(): Promise<void>;
}

interface Exchange {
  id: number;
  batch: Batch;
  resolve(): void;
  reject(error: Error): void;
}

type Shared = Parameters<typeof runningBatch>[0];
type Answer = { id: number; bytes: Uint8Array; done: boolean };

const CLOSE_LIMIT_MS = 10_000;
/**
 * A statement that goes on after so many cancels, this far apart, ends the engine: equal to a kill, nothing
 * acknowledged is lost. Each cancel is a turn of the event loop of its own, because after a pause of the whole process,
 * or of this thread alone, timers run before the answers that arrived meanwhile are read.
 */
const [CANCELS, BETWEEN_CANCELS_MS] = [20, 500];
/** The running word has 32 bits. */
const LAST_ID = 2 ** 31 - 1;

/** Opens the engine over a directory. @throws the engine's own error when that fails */
export async function startThread(directory: string): Promise<Thread> {
  // The baseline compiler alone: 25 MB less and a quicker start, for 30 % on statements that compute a lot. A process that
  // was started with a flag about it keeps that.
  if (!process.execArgv.some((flag) => flag.includes("liftoff"))) setFlagsFromString("--liftoff-only");
  const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: { directory }, execArgv: [] });
  const exchanges = new Map<number, Exchange>();
  let reason: unknown = new Error("its thread ended");
  worker.once("error", (error) => {
    reason = error;
  });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.once("exit", () => {
    const lost = Object.assign(new Error("the embedded engine ended", { cause: reason }), { code: "ECONNRESET" });
    for (const exchange of exchanges.values()) exchange.reject(lost);
    exchanges.clear();
  });
  const shared = await new Promise<Shared>((resolve, reject) => {
    worker.once("exit", () => reject(reason));
    worker.on("message", (said: Answer | { shared: Shared }) =>
      "shared" in said ? resolve(said.shared) : deliver(exchanges, said),
    );
  });
  return overWorker(worker, exchanges, runningBatch(shared).cancel, ended);
}

function deliver(exchanges: Map<number, Exchange>, { id, bytes, done }: Answer): void {
  const exchange = exchanges.get(id);
  exchange?.batch.onBytes(bytes);
  if (!done) return;
  exchanges.delete(id);
  exchange?.resolve();
}

/** Bytes from which on a message moves to the engine instead of being copied. */
const LARGE = 64 * 1024;

/** The memory of a large batch, which is its own: nobody reads it once it is sent. */
const movable = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  byteLength >= LARGE && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];

function overWorker(
  worker: Worker,
  exchanges: Map<number, Exchange>,
  cancelId: (id: number) => void,
  ended: Promise<void>,
): Thread {
  let lastId = 0;
  return {
    ended,
    exchange(batch) {
      lastId = (lastId % LAST_ID) + 1;
      const id = lastId;
      let timer: NodeJS.Timeout;
      const enforce = (cancels: number) => {
        if (cancels === CANCELS) return void worker.terminate();
        cancelId(id);
        timer = setTimeout(enforce, BETWEEN_CANCELS_MS, cancels + 1);
      };
      timer = setTimeout(enforce, batch.limit, 0);
      return new Promise<void>((resolve, reject) => {
        exchanges.set(id, { id, batch, resolve, reject });
        worker.postMessage({ id, bytes: batch.bytes }, movable(batch.bytes));
      }).finally(() => clearTimeout(timer));
    },
    cancel(batch) {
      for (const exchange of exchanges.values()) if (exchange.batch === batch) cancelId(exchange.id);
    },
    async close() {
      worker.postMessage({ close: true });
      const timer = setTimeout(() => void worker.terminate(), CLOSE_LIMIT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
