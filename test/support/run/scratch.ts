import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const NAME = /^trackway-run-(\d+)-/;

/** Linux keeps files in memory here: a test's commit then waits for no disk, and a database is copied in half the time. */
const MEMORY = "/dev/shm";
/** The most that a run was seen to write at a time, and room besides; the processes take memory too. */
const ROOM = { files: 4 * 2 ** 30, memory: 8 * 2 ** 30 };

/**
 * Puts every temporary file of this process, and of those it starts from now on, below one folder that goes when it
 * exits. A run that was killed leaves its folder to the next run.
 */
export function scratchFolder(parent = tmpdir()): void {
  for (const name of readdirSync(parent)) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isRunning(Number(owner))) remove(join(parent, name));
  }
  const folder = mkdtempSync(join(parent, `trackway-run-${process.pid}-`));
  chmodSync(folder, 0o711); // PostgreSQL's programs, which run as a user of their own, have folders in it
  process.env["TMPDIR"] = folder;
  process.on("exit", () => remove(folder));
}

/** Leaves files that somebody still writes, or that another user owns: they harm nobody. */
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

/** The folder for temporary files in memory where there is room for all of a run, else the system's. */
export function roomyFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    // Tests run programs that they write.
    const runsNone = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m.test(readFileSync("/proc/self/mounts", "utf8"));
    if (!runsNone && bavail * bsize >= ROOM.files && freemem() >= ROOM.memory) return MEMORY;
  } catch {}
  return tmpdir();
}
