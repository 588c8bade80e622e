import { randomBytes } from "node:crypto";
import { appendFile, lstat, mkdir, open, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Failure } from "../failure.ts";

/** A file that holds a key: for its owner alone. */
export const PRIVATE = 0o600;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a file, or undefined where there is none. @throws Failure for one that is no text */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return utf8.decode(await readFile(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    const reason = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is no UTF-8" : code;
    throw new Failure(`${path} cannot be read (${reason}).`, { cure: `ls -ld '${path}'` });
  }
}

/** The rights of a file, or undefined where there is none. */
export const modeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );

/**
 * The file that a path leads to: of a symbolic link its target, even if nothing is there yet. People who keep their settings
 * in a repository have such links.
 */
export async function targetOf(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  const isLink = await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  if (!isLink) return path;
  const folder = await realpath(dirname(path));
  return targetOf(resolve(folder, await readlink(path)));
}

/**
 * Writes a file whole or not at all. It keeps its owner, its symbolic link and, unless a mode is given, its rights; a new one
 * is private. Answers the first folder that had to be made.
 */
export async function writeWhole(path: string, text: string, mode?: number): Promise<string | undefined> {
  let fresh: string | undefined;
  try {
    const target = await targetOf(path);
    const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const before = await stat(target).catch(() => undefined);
    fresh = `${target}.${process.pid}.${randomBytes(4).toString("hex")}`;
    const file = await open(fresh, "wx", PRIVATE);
    try {
      await file.writeFile(text);
      if (before && (before.uid !== process.getuid?.() || before.gid !== process.getgid?.()))
        await file.chown(before.uid, before.gid).catch((error) => {
          // A group that one is no member of cannot be given; an owner has to be.
          if (before.uid !== process.getuid?.()) throw error;
        });
      await file.chmod(mode ?? (before ? before.mode & 0o777 : PRIVATE));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, target);
    return made;
  } catch (error) {
    if (fresh) await rm(fresh, { force: true });
    throw unwritable(path, error);
  }
}

const unwritable = (path: string, error: unknown): Failure =>
  new Failure(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`, {
    cure: `ls -ld '${dirname(path)}'`,
  });

/** The same for a file that holds a key, whatever its rights were. */
export const writePrivate = (path: string, text: string): Promise<string | undefined> =>
  writeWhole(path, text, PRIVATE);

/** Adds to the end of a file, which is private where it is new. */
export async function appendPrivate(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await appendFile(path, text, { mode: PRIVATE });
  } catch (error) {
    throw unwritable(path, error);
  }
}
