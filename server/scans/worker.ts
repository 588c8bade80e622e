import { Worker } from "node:worker_threads";
import type { Asked, Order, Report, Rules, Scanned } from "./thread.ts";

/** A thread ended before it was ready: this machine gives none. */
export class NoThread extends Error {}
/** A thread ended, or was ended, while it scanned. */
export class ThreadLost extends Error {}

/** One thread that scans a text at a time. */
export interface ScanThread {
  /** Scans a text within some milliseconds, after which the thread ends. @throws NoThread or ThreadLost */
  scan(rules: Rules, asked: Asked, longestMs: number): Promise<Scanned>;
  hasEnded(): boolean;
  end(): void;
}

/** A text of a body and what replaces it fit into this. */
const LIMITS = { maxOldGenerationSizeMb: 512 };

/** Starts a thread. It keeps the process alive only while it scans. */
export function startScanThread(): ScanThread {
  const worker = new Worker(new URL("./thread.js", import.meta.url), { resourceLimits: LIMITS });
  worker.unref();
  let isReady = false;
  let hasEnded = false;
  let lastId = 0;
  let waiting: { id: number; resolve(scanned: Scanned): void; reject(error: Error): void } | undefined;
  worker.on("message", (report: Report) => {
    if (report === "ready") isReady = true;
    else if (waiting?.id === report.id) waiting.resolve(report.scanned);
  });
  let cause: unknown;
  worker.on("error", (error) => {
    cause = error;
  });
  worker.once("exit", () => {
    hasEnded = true;
    const Lost = isReady ? ThreadLost : NoThread;
    waiting?.reject(new Lost("a thread that scans text ended", { cause }));
  });
  return {
    hasEnded: () => hasEnded,
    end: () => void worker.terminate(),
    async scan(rules, asked, longestMs) {
      lastId += 1;
      const id = lastId;
      worker.ref();
      const timer = setTimeout(() => void worker.terminate(), longestMs);
      try {
        return await new Promise<Scanned>((resolve, reject) => {
          waiting = { id, resolve, reject };
          worker.postMessage({ id, rules, asked } satisfies Order);
        });
      } finally {
        clearTimeout(timer);
        waiting = undefined;
        worker.unref();
      }
    },
  };
}
