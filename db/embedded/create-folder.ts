import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and those above it, with mode 0700, where they are missing. Node's own `recursive` never returns for a
 * folder that the kernel refuses with ENOENT, such as one in /proc.
 * @throws the system's own error
 */
export function createFolder(path: string): void {
  if (create(path)) return;
  const parent = dirname(path);
  if (parent !== path) createFolder(parent);
  if (!create(path)) mkdirSync(path, { mode: 0o700 });
}

/** False where the folder above is missing. */
function create(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    // A file may have this name, or the disk may be read-only: whoever writes into the folder reports that.
    if (code === "EEXIST" || existsSync(path)) return true;
    throw error;
  }
}
