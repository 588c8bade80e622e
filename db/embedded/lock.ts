import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { CannotOpen } from "../errors/cannot-open.ts";

/**
 * Takes the kernel's lock on `path` (OFD locks on Linux, flock on macOS, LockFileEx on Windows). It ends with the
 * process however that ends, and a second opener is refused in the same process too.
 * @returns the way to give it back
 * @throws CannotOpen when it is held
 */
export function takeLock(path: string): () => void {
  const file = openSync(path, "a+", 0o600);
  try {
    if (!fileLocks().tryLock(file)) throw new CannotOpen(taken(path));
    ftruncateSync(file);
    writeSync(file, String(process.pid));
  } catch (error) {
    closeSync(file);
    if (error instanceof CannotOpen) throw error;
    throw new CannotOpen(`DATA_DIR: ${path} cannot be locked (${error}); use a local file system or DATABASE_URL`);
  }
  return () => closeSync(file);
}

/** Loaded late: its prebuilt binary must exist only where the embedded engine runs. */
function fileLocks(): { tryLock(file: number): boolean } {
  return createRequire(import.meta.url)("fs-native-extensions");
}

function taken(path: string): string {
  const holder = readFileSync(path, "utf8");
  return `DATA_DIR: process ${holder} already uses this directory (${path}); stop it or choose another DATA_DIR`;
}
