import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

/** Maximum length of a line, in bytes. The longest line of a backup is the row of one recorded event. */
const LONGEST_LINE = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Reads the lines of a compressed backup. Opens the file when the caller requests the first line.
 * @throws Error when the file cannot be read, is damaged or truncated, continues after the backup, or has a line that
 * is too long
 */
export async function* readBackup(path: string): AsyncIterable<string> {
  const input = createReadStream(path);
  const unzipped = createGunzip();
  const stop = new AbortController();
  const read = pipeline(input, unzipped, { signal: stop.signal });
  // The empty handler only prevents an unhandled rejection of `read`. The loop below rejects with the same error.
  read.catch(() => {});
  try {
    yield* linesOf(unzipped);
    await read;
    // gunzip reads bytes after the end of the compressed stream but does not decompress these bytes. The comparison
    // therefore finds a file that continues after the backup.
    if (unzipped.bytesWritten !== input.bytesRead) throw new Error(`${path} continues after the end of the backup`);
  } catch (error) {
    throw explained(path, error as NodeJS.ErrnoException);
  } finally {
    stop.abort();
  }
}

/** Splits only at line feeds, because content may contain every other line-ending character. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncIterable<string> {
  let begun: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    let from = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, from)) {
      begun.push(piece.subarray(from, end));
      yield Buffer.concat(begun).toString();
      begun = [];
      length = 0;
      from = end + 1;
    }
    begun.push(piece.subarray(from));
    length += piece.length - from;
    if (length > LONGEST_LINE) throw new Error("the file is no backup: a line is longer than 64 MiB");
  }
  if (length > 0) yield Buffer.concat(begun).toString();
}

const explained = (path: string, error: NodeJS.ErrnoException): Error =>
  error.code?.startsWith("Z_")
    ? new Error(`${path} is damaged or cut short (${error.message}): restore another backup`, { cause: error })
    : error;
