import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const NAME = /^trackway-run-(\d+)-/;

/**
 * On Linux, this folder is in memory: commits in tests wait for no disk, and copying a database takes half the time.
 */
const MEMORY = "/dev/shm";
/**
 * Bytes required for a run in memory: the maximum that a run was seen to write, with a margin. The processes need
 * memory, too.
 */
const ROOM = { files: 4 * 2 ** 30, memory: 8 * 2 ** 30 };

/**
 * Puts every temporary file of this process, and of the processes that this process starts later, below one folder
 * that is removed on exit. A killed run leaves its folder, and the next run removes the folder.
 */
export function redirectTemporaryFiles(parent = tmpdir()): void {
  for (const name of readdirSync(parent)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isRunning(Number(owner))) remove(join(parent, name));
  }
  const folder = mkdtempSync(join(parent, `trackway-run-${process.pid}-`));
  chmodSync(folder, 0o711); // PostgreSQL's programs, which run as a user of their own, have folders in it
  process.env["TMPDIR"] = folder;
  process.on("exit", () => remove(folder));
}

/**
 * Removes a folder, except files that another process still writes or that another user owns. Such files do no harm.
 */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {}
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns a folder in memory if the memory has room for a whole run, else the system's temporary folder. */
export function findRoomyFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    // Tests run programs that the tests write, so the folder must allow execution.
    const runsNone = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync("/proc/self/mounts", "utf8"));
    if (!runsNone && bavail * bsize >= ROOM.files && freemem() >= ROOM.memory) return MEMORY;
  } catch {}
  return tmpdir();
}
