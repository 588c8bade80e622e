import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * Takes the kernel's lock on a file, which is created where it is missing, and writes this process's id into it (OFD locks
 * on Linux, flock on macOS, LockFileEx on Windows). The lock ends with the process however that ends, and a second opener is
 * refused in the same process too.
 * @returns the function that releases the lock; undefined while somebody holds it
 * @throws the system's own error where the file cannot be opened or locked
 */
export function lockFile(path: string): (() => void) | undefined {
  const file = openSync(path, "a+", 0o600);
  try {
    if (!fileLocks().tryLock(file)) {
      closeSync(file);
      return undefined;
    }
    ftruncateSync(file);
    writeSync(file, String(process.pid));
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return () => closeSync(file);
}

/** Loaded late: its prebuilt binary must exist only where the embedded engine runs. */
function fileLocks(): { tryLock(file: number): boolean } {
  return createRequire(import.meta.url)("fs-native-extensions");
}
