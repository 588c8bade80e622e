import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a missing folder and its missing parents, with mode 0700. Replaces Node's option `recursive`, which never
 * returns for a folder that the kernel refuses with ENOENT, such as a folder in /proc.
 * @throws the system's error
 */
export function createFolder(path: string): void {
  if (create(path)) return;
  const parent = dirname(path);
  if (parent !== path) createFolder(parent);
  if (!create(path)) mkdirSync(path, { mode: 0o700 });
}

/** Creates one folder. Returns false if the parent folder is missing. */
function create(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    // The path already exists. If the path is a file, or if the disk is read-only, the later write into the folder
    // reports the error.
    if (code === "EEXIST" || existsSync(path)) return true;
    throw error;
  }
}
