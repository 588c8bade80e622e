import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Database } from "../../db/open.ts";
import { dump, type Part } from "./backup/dump.ts";

/** A reader that takes nothing for this long, in ms, ends the backup: on the embedded engine others wait for it. */
const STALLED_MS = 10_000;

/** Writes a compressed backup to a stream and ends it. Resolves to the number of rows. */
export async function writeBackup(
  db: Database,
  secret: Uint8Array,
  target: NodeJS.WritableStream,
  part: Part = "all",
): Promise<number> {
  const gzip = createGzip({ level: 6 });
  const written = pipeline(gzip, target);
  // A failure of the target is reported by `written` below.
  written.catch(() => {});
  try {
    const emit = async (text: string) => {
      if (!gzip.write(text)) await once(gzip, "drain", { signal: AbortSignal.timeout(STALLED_MS) });
    };
    const rows = await dump(db, secret, emit, part);
    gzip.end();
    await written;
    return rows;
  } catch (error) {
    gzip.destroy(error as Error);
    throw error;
  }
}

/** The lines of a compressed backup. The file is opened when the first is asked for: a reader that waits loses none. */
export async function* readBackup(path: string): AsyncIterable<string> {
  const input = createReadStream(path);
  const unzipped = input.pipe(createGunzip());
  // A pipe passes no errors on: a missing file would be waited for for ever.
  input.once("error", (error) => unzipped.destroy(error));
  yield* createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY });
}
