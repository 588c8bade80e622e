import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Database } from "../../db/open.ts";
import { dump, type Part } from "./backup/dump.ts";

/** A reader that takes nothing for this long, in ms, ends the backup: on the embedded engine others wait for it. */
const STALLED_MS = 10_000;

/** Writes a compressed backup to a stream and ends it, unless `signal` is aborted meanwhile. Resolves to the number of rows. */
export async function writeBackup(
  db: Database,
  secret: Uint8Array,
  target: NodeJS.WritableStream,
  part: Part = "all",
  signal?: AbortSignal,
): Promise<number> {
  const gzip = createGzip({ level: 6 });
  const written = pipeline(gzip, target);
  // A failure of the target is reported by `written` below.
  written.catch(() => {});
  const drained = () =>
    once(gzip, "drain", { signal: AbortSignal.timeout(STALLED_MS) }).catch(() => {
      throw new Error(`nothing took the backup for ${STALLED_MS / 1000} s`);
    });
  try {
    const emit = async (text: string) => {
      signal?.throwIfAborted();
      // A target that failed takes nothing more: its error is the reason.
      if (gzip.destroyed) await written;
      if (!gzip.write(text)) await Promise.race([drained(), written]);
    };
    const rows = await dump(db, secret, emit, part);
    gzip.end();
    await written;
    return rows;
  } catch (error) {
    gzip.destroy(error as Error);
    // The first failure ended the pipeline.
    await written;
    throw error;
  }
}
