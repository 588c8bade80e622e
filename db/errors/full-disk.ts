import { statfs } from "node:fs/promises";

type Warn = (message: string) => void;

const AGAIN_MS = 60_000;
/** Number of free bytes below which a disk counts as full, because a write of several blocks would fail. */
const LEAST_BYTES = 16 * 1024 * 1024;
const WHERE = "make room where it keeps its files";

/** Warning functions, each with the time of its last call. */
const listeners = new Map<Warn, number>();

/** Returns true if the database failed because its disk is full: SQLSTATE 53100, or the system's own error. */
export const isFullDisk = (error: unknown): boolean =>
  error instanceof Error &&
  (["53100", "ENOSPC"].includes(String(Reflect.get(error, "code"))) ||
    /ENOSPC|No space left on device/.test(error.message));

/** Warns the operator of a full disk, at most once per minute. Clients get only the advice to retry. */
export function warnIfDiskFull(error: unknown): void {
  if (!isFullDisk(error)) return;
  const now = performance.now();
  for (const [warn, last] of listeners) {
    if (now - last < AGAIN_MS) continue;
    listeners.set(warn, now);
    warn(`The disk of the database is full: ${WHERE} (${(error as Error).message})`);
  }
}

/** Registers `warn` as a listener for a full disk. Returns a function that removes the listener. */
export function onFullDisk(warn: Warn): () => void {
  // Each call creates a new function as the key of the map, because two databases may pass the same `warn`.
  const listener: Warn = (message) => warn(message);
  listeners.set(listener, Number.NEGATIVE_INFINITY);
  return () => void listeners.delete(listener);
}

/**
 * Returns the text "; the disk … is full" if so little space is left that a full disk may have ended the engine.
 * Otherwise returns an empty text.
 */
export async function describeFullDisk(directory: string): Promise<string> {
  const { bavail, bsize } = await statfs(directory).catch(() => ({ bavail: Number.POSITIVE_INFINITY, bsize: 1 }));
  return bavail * bsize < LEAST_BYTES ? `; the disk of ${directory} is full: ${WHERE}` : "";
}
