import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";

/** Returns the size of a readable file. @throws CommandFailure with the path if the file cannot be read */
export async function readFileSize(file: string): Promise<number> {
  try {
    await access(file, constants.R_OK);
    const found = await stat(file);
    if (found.isFile()) return found.size;
  } catch {
    throw new CommandFailure(`Cannot read the file ${file}.`, { exit: EXIT_CODES.notFound, cure: "give another path" });
  }
  throw new CommandFailure(`${file} is not a file.`, { exit: EXIT_CODES.usage, cure: "give the path of a file" });
}

/** Reads a file in chunks and omits a byte order mark at the beginning. Calls `onBytes` with the size of each chunk. */
export async function* readBytes(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const part: Buffer = chunk;
    onBytes(part.length);
    yield first && part.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? part.subarray(3) : part;
    first = false;
  }
}
