import { createReadStream } from "node:fs";
import { access, constants, stat } from "node:fs/promises";
import { EXIT, Failure } from "../../failure.ts";

/** The size of a file that can be read. @throws Failure naming it otherwise */
export async function sizeOf(file: string): Promise<number> {
  try {
    await access(file, constants.R_OK);
    const found = await stat(file);
    if (found.isFile()) return found.size;
  } catch {
    throw new Failure(`There is no file ${file} that can be read.`, { exit: EXIT.notFound, cure: "another path" });
  }
  throw new Failure(`${file} is no file.`, { exit: EXIT.usage, cure: "the file itself" });
}

/** The bytes of a file in parts, without a byte order mark, telling how many have been read. */
export async function* bytesOf(file: string, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
    const part: Buffer = chunk;
    onBytes(part.length);
    yield first && part.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? part.subarray(3) : part;
    first = false;
  }
}
