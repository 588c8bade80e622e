import { statfs } from "node:fs/promises";

type Warn = (message: string) => void;

const AGAIN_MS = 60_000;
/** With less left a write of some blocks fails. */
const LEAST_BYTES = 16 * 1024 * 1024;
const WHERE = "make room where it keeps its files";

/** Listeners, and when each was called last. */
const listeners = new Map<Warn, number>();

/** True when the database failed because its disk is full: SQLSTATE 53100, or the system's own error. */
export const isFullDisk = (error: unknown): boolean =>
  error instanceof Error &&
  (["53100", "ENOSPC"].includes(String(Reflect.get(error, "code"))) ||
    /ENOSPC|No space left on device/.test(error.message));

/** Tells the operator of a full disk, at most once a minute: callers learn no more than to try again. */
export function tellFullDisk(error: unknown): void {
  if (!isFullDisk(error)) return;
  const now = performance.now();
  for (const [warn, last] of listeners) {
    if (now - last < AGAIN_MS) continue;
    listeners.set(warn, now);
    warn(`The disk of the database is full: ${WHERE} (${(error as Error).message})`);
  }
}

/** Calls `warn` at each full disk from now on. Answers a function that ends this. */
export function onFullDisk(warn: Warn): () => void {
  // A function of its own: two databases may be opened with the same one.
  const listener: Warn = (message) => warn(message);
  listeners.set(listener, Number.NEGATIVE_INFINITY);
  return () => void listeners.delete(listener);
}

/** Why the engine over a directory may have ended: a text to follow others, empty where there is room. */
export async function whetherFull(directory: string): Promise<string> {
  const { bavail, bsize } = await statfs(directory).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }));
  return bavail * bsize < LEAST_BYTES ? `; the disk of ${directory} is full: ${WHERE}` : "";
}
