import { randomBytes } from "node:crypto";
import { chmod, mkdir, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "../failure.ts";

/** What stands in a file, or undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Failure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, {
      cure: `ls -ld '${path}'`,
    });
  }
}

/**
 * Writes a file whole or not at all, for its owner's eyes alone. Where the path is a symbolic link, as those who keep
 * their settings in a repository have it, the file that it leads to is written and the link stays.
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const fresh = `${target}.${process.pid}.${randomBytes(4).toString("hex")}`;
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const file = await open(fresh, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, target);
  } catch (error) {
    await rm(fresh, { force: true });
    throw new Failure(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`, {
      cure: `ls -ld '${dirname(path)}'`,
    });
  }
}

/** Takes a file's rights from everybody but its owner. */
export const makePrivate = (path: string): Promise<void> => chmod(path, 0o600);
