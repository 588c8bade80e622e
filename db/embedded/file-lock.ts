import { closeSync, constants, ftruncateSync, openSync, writeSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * Locks a file with a lock of the kernel (OFD locks on Linux, flock on macOS, LockFileEx on Windows), and writes this
 * process's id into the file. Creates a missing file. The lock ends when the process ends, for whatever reason. The
 * same process cannot lock the file twice. The function does not follow a symbolic link: in a folder that other users
 * can write to, the link could point to any of this user's files.
 * @returns the function that releases the lock; undefined while another process holds the lock
 * @throws the system's error if the file cannot be opened or locked
 */
export function lockFile(path: string): (() => void) | undefined {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
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

/**
 * Loads the native module only when a file is locked, because the module's prebuilt binary must exist only where the
 * embedded engine runs.
 */
function fileLocks(): { tryLock(file: number): boolean } {
  return createRequire(import.meta.url)("fs-native-extensions");
}
