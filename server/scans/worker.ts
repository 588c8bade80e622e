import { Worker } from "node:worker_threads";
import type { ScanInput, ScanRequest, ScanResult, ScanRules, ScanThreadMessage } from "./thread.ts";

/** Error: a thread ended before the thread was ready, so this machine cannot run scan threads. */
export class ScanThreadUnavailableError extends Error {}
/** Error: a thread ended, or was terminated, during a scan. */
export class ScanThreadLostError extends Error {}

/** Thread that scans one text at a time. */
export interface ScanThread {
  /** Scans a text. If the time limit passes, the thread ends. @throws ScanThreadUnavailableError or ScanThreadLostError */
  scan(rules: ScanRules, asked: ScanInput, longestMs: number): Promise<ScanResult>;
  hasEnded(): boolean;
  end(): void;
}

/**
 * Memory limit of a thread. The limit suffices for the largest text of a request body and for the redacted copy of the
 * text.
 */
const LIMITS = { maxOldGenerationSizeMb: 512 };

/** Starts a thread. The thread keeps the process alive only during a scan. */
export function startScanThread(): ScanThread {
  const worker = new Worker(new URL("./thread.js", import.meta.url), { resourceLimits: LIMITS });
  worker.unref();
  let isReady = false;
  let hasEnded = false;
  let lastId = 0;
  let waiting: { id: number; resolve(scanned: ScanResult): void; reject(error: Error): void } | undefined;
  worker.on("message", (report: ScanThreadMessage) => {
    if (report === "ready") isReady = true;
    else if (waiting?.id === report.id) waiting.resolve(report.scanned);
  });
  let cause: unknown;
  worker.on("error", (error) => {
    cause = error;
  });
  worker.once("exit", () => {
    hasEnded = true;
    const Lost = isReady ? ScanThreadLostError : ScanThreadUnavailableError;
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
        return await new Promise<ScanResult>((resolve, reject) => {
          waiting = { id, resolve, reject };
          worker.postMessage({ id, rules, asked } satisfies ScanRequest);
        });
      } finally {
        clearTimeout(timer);
        waiting = undefined;
        worker.unref();
      }
    },
  };
}
