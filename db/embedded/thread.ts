import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { shareRunningBatch } from "./running.js";

/** Wire messages that the engine processes in one call. */
export interface MessageBatch {
  bytes: Uint8Array;
  /** Milliseconds after which the running statement is cancelled. */
  limit: number;
  /** Receives the response in pieces. */
  onBytes(bytes: Uint8Array): void;
}

/** One run of the engine in a worker thread. The thread keeps the database directory open until the thread ends. */
export interface EngineThread {
  /** Resolves when the response to a batch is complete. Rejects if the engine ends first. */
  exchange(batch: MessageBatch): Promise<void>;
  /** Cancels the running statement of a batch. Other batches are not affected. */
  cancel(batch: MessageBatch): void;
  /** Resolves when the thread has ended. */
  ended: Promise<void>;
  /** Lets the engine write a checkpoint and end. If the engine has not ended after 10 s, terminates the engine. */
  close(): Promise<void>;
}

interface Exchange {
  id: number;
  batch: MessageBatch;
  resolve(): void;
  reject(error: Error): void;
}

type Shared = Parameters<typeof shareRunningBatch>[0];
type Answer = { id: number; bytes: Uint8Array; done: boolean };

const CLOSE_LIMIT_MS = 10_000;
/**
 * Number of cancels, and milliseconds between two cancels. If a statement still runs after all cancels, the engine is
 * terminated. A termination is like a kill: no committed data is lost. Each cancel has its own turn of the event loop,
 * because after a pause of the process or this thread, timers run before the messages that arrived during the pause.
 */
const [CANCELS, BETWEEN_CANCELS_MS] = [20, 500];
/** Highest batch number. The word of memory that the threads share has 32 bits. */
const LAST_ID = 2 ** 31 - 1;

/** Opens the engine for a directory. @throws the engine's error if the opening fails */
export async function startThread(directory: string): Promise<EngineThread> {
  // The process uses only V8's baseline compiler. The baseline compiler saves 25 MB and starts faster, but statements
  // with much computation take 30 % longer. A flag on the command line of the process takes precedence.
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
  return overWorker(worker, exchanges, shareRunningBatch(shared).cancel, ended);
}

function deliver(exchanges: Map<number, Exchange>, { id, bytes, done }: Answer): void {
  const exchange = exchanges.get(id);
  exchange?.batch.onBytes(bytes);
  if (!done) return;
  exchanges.delete(id);
  exchange?.resolve();
}

/** Messages of at least this size in bytes are transferred to the engine instead of copied. */
const LARGE = 64 * 1024;

/**
 * Returns the buffer of a large batch, which can then be transferred without a copy. Returns no buffer for a small
 * batch, or if the batch does not use its whole buffer. A transfer is safe, because the caller does not read a batch
 * after sending the batch.
 */
const movable = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  byteLength >= LARGE && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];

function overWorker(
  worker: Worker,
  exchanges: Map<number, Exchange>,
  cancelId: (id: number) => void,
  ended: Promise<void>,
): EngineThread {
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
