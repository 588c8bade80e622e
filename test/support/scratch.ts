import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const NAME = /^trackway-run-(\d+)-/;

/**
 * Puts every temporary file of this process, and of those it starts from now on, below one folder that goes when it
 * exits. A run that was killed leaves its folder to the next run.
 */
export function scratchFolder(): void {
  const parent = tmpdir();
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
