import { existsSync } from "node:fs";
import { lstat, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockFile } from "../../../db/embedded/file-lock.ts";

/**
 * A temporary folder that belongs to one process. The process locks the folder, and the lock is released when the
 * process ends. Another process can therefore remove the folder of a killed process.
 */
export interface LockedTempFolder {
  path: string;
  remove(): Promise<void>;
}

const LOCK = "in-use.lock";
/**
 * Lock of an embedded database in the folder. A child process that outlives its parent may still hold the database
 * lock.
 */
const DATABASE_LOCK = "database.lock";

/**
 * Creates a temporary folder for the current process. The folder gets its final name only after the process has locked
 * the folder.
 */
export async function createLockedTempFolder(parent: string, prefix: string): Promise<LockedTempFolder> {
  const unnamed = await mkdtemp(join(parent, `.${prefix}`));
  const release = lockFile(join(unnamed, LOCK));
  const path = join(parent, `${prefix}${unnamed.slice(-6)}`);
  await rename(unnamed, path);
  return {
    path,
    async remove() {
      // Windows cannot remove an open file.
      release?.();
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Removes folders with this prefix whose processes have ended. Returns the number of removed folders. */
export async function removeAbandonedTempFolders(parent: string, prefix: string): Promise<number> {
  let removed = 0;
  const names = await readdir(parent);
  for (const path of names.filter((name) => name.startsWith(prefix)).map((name) => join(parent, name))) {
    if (!(await isOwn(path))) continue;
    const locks = [LOCK, DATABASE_LOCK].map((name) => join(path, name)).filter(existsSync);
    if (locks.length === 0) continue;
    const taken = locks.map(lockFile);
    const isAbandoned = taken.every((release) => release !== undefined);
    for (const release of taken) release?.();
    if (!isAbandoned) continue;
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
    removed += 1;
  }
  return removed;
}

/**
 * Returns true if the folder belongs to the current user. In a shared folder such as `/tmp`, other users could create
 * links with the names of such folders.
 */
async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path);
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}
