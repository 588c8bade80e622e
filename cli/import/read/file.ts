import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { EXIT, Failure } from "../../failure.ts";

/** Returns the size of a readable file. @throws Failure with the path if the file cannot be read */
export async function readFileSize(file: string): Promise<number> {
  try {
    await access(file, constants.R_OK);
    const found = await stat(file);
    if (found.isFile()) return found.size;
  } catch {
    throw new Failure(`Cannot read the file ${file}.`, { exit: EXIT.notFound, cure: "give another path" });
  }
  throw new Failure(`${file} is not a file.`, { exit: EXIT.usage, cure: "give the path of a file" });
}

/** Reads a file in parts, without a byte order mark. Reports the number of bytes of each part. */
export async function* readBytes(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const part: Buffer = chunk;
    onBytes(part.length);
    yield first && part.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? part.subarray(3) : part;
    first = false;
  }
}
