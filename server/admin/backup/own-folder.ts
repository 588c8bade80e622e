import { existsSync } from "node:fs";
import { lstat, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { lockFile } from "../../../db/embedded/file-lock.ts";

/** A folder that a process uses for a while. Its lock ends with the process, so that another one can remove what a kill left. */
export interface OwnFolder {
  path: string;
  /** Removes the folder with all that is in it. */
  remove(): Promise<void>;
}

const LOCK = "in-use.lock";
/** The lock of an embedded database in the folder: a child process may hold it that has outlived its parent. */
const DATABASE_LOCK = "database.lock";

/** Creates a folder of this process. It has its name only once it is locked. */
export async function createOwnFolder(parent: string, prefix: string): Promise<OwnFolder> {
  const unnamed = await mkdtemp(join(parent, `.${prefix}`));
  const release = lockFile(join(unnamed, LOCK));
  const path = join(parent, `${prefix}${unnamed.slice(-6)}`);
  await rename(unnamed, path);
  return {
    path,
    async remove() {
      // Windows removes no file that is open.
      release?.();
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Removes folders of that name whose processes have ended. Returns how many it removed. */
export async function removeAbandoned(parent: string, prefix: string): Promise<number> {
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

/** In a folder that all users share, others could plant links under these names. */
async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path);
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}
