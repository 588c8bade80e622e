import { createReadStream } from "node:fs";
import { Decompress } from "fzstd";

/** Maximum bytes of an unpacked file. A small file may unpack to any size. */
const MOST_UNPACKED = 512 * 1024 * 1024;

/** Returns true for a compressed file. Codex compresses session files (rollouts) that are older than seven days. */
export const isZstdFile = (path: string): boolean => path.endsWith(".zst");

/** A packed file that cannot be unpacked. The message is a reason for a report. */
export class DecompressionError extends Error {}

/** Unpacks a file in pieces. @throws DecompressionError, or an error of the file system */
export async function* unpack(path: string): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((piece) => {
    size += piece.length;
    // The library may reuse the memory of a piece.
    pieces.push(Buffer.from(piece));
  });
  for await (const packed of createReadStream(path)) {
    push(stream, packed as Buffer, false);
    if (size > MOST_UNPACKED)
      throw new DecompressionError(`is larger than ${MOST_UNPACKED / 1024 / 1024} MiB unpacked`);
    for (const piece of pieces) yield piece as Buffer;
    pieces = [];
  }
  push(stream, new Uint8Array(), true);
  for (const piece of pieces) yield piece as Buffer;
}

function push(stream: Decompress, packed: Uint8Array, isLast: boolean): void {
  try {
    stream.push(packed, isLast);
  } catch {
    throw new DecompressionError("is not a whole zstd file");
  }
}

/** Unpacks the beginning of a file. Returns an empty buffer for a file that is not packed by zstd. */
export async function unpackHead(path: string, bytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of unpack(path)) {
      pieces.push(piece);
      size += piece.length;
      if (size >= bytes) break;
    }
  } catch (error) {
    if (!(error instanceof DecompressionError)) throw error;
  }
  return Buffer.concat(pieces).subarray(0, bytes);
}
