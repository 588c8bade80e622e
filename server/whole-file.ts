import { createWriteStream, type WriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";

/**
 * Fills a file with what `fill` writes, mode 0600. It has its name only once all of it is on disk: a full disk, a kill
 * or a power cut leaves the file that was there before, or none. Every file the server writes is written by this.
 */
export async function writeFileWhole<T>(path: string, fill: (target: NodeJS.WritableStream) => Promise<T>): Promise<T> {
  const partial = `${path}.partial`;
  try {
    // One that a killed process left may be open to others: its mode would stay.
    await rm(partial, { force: true });
    const result = await filled(createWriteStream(partial, { flags: "wx", mode: 0o600 }), fill);
    await sync(partial, "r+");
    await rename(partial, path);
    // Windows keeps names durable by itself, and opens no directories.
    if (process.platform !== "win32") await sync(dirname(path), "r");
    return result;
  } catch (error) {
    await rm(partial, { force: true });
    const system = error as NodeJS.ErrnoException;
    // A write that fails says no name by itself.
    if (system.syscall) system.path ??= path;
    throw error;
  }
}

/** Writes a text as a whole file. */
export const writeTextWhole = (path: string, text: string): Promise<void> =>
  writeFileWhole(path, (target) => pipeline(Readable.from([text]), target));

/**
 * The answer of `fill`. When it fails the stream is closed first: a file that is still being opened cannot be removed.
 */
async function filled<T>(target: WriteStream, fill: (target: NodeJS.WritableStream) => Promise<T>): Promise<T> {
  const over = finished(target).catch(() => undefined);
  try {
    return await fill(target);
  } catch (error) {
    target.destroy();
    await over;
    throw error;
  }
}

async function sync(path: string, flags: "r" | "r+"): Promise<void> {
  const file = await open(path, flags);
  await file.sync().finally(() => file.close());
}
