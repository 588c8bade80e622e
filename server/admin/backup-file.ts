import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Database } from "../../db/open.ts";
import { dump, type Part } from "./backup/dump.ts";

/**
 * The backup fails when its reader accepts no data for this time, in ms. On the embedded engine the backup holds
 * the only connection.
 */
const STALLED_MS = 10_000;

/**
 * Writes a compressed backup to a stream and ends the stream. Stops when
 * `signal` is aborted. Resolves to the number of rows.
 */
export async function writeBackup(
  db: Database,
  secret: Uint8Array,
  target: NodeJS.WritableStream,
  part: Part = "all",
  signal?: AbortSignal,
): Promise<number> {
  const gzip = createGzip({ level: 6 });
  const written = pipeline(gzip, target);
  // `await written` below reports a failure of the target.
  written.catch(() => {});
  const drained = () =>
    once(gzip, "drain", { signal: AbortSignal.timeout(STALLED_MS) }).catch(() => {
      throw new Error(`nothing took the backup for ${STALLED_MS / 1000} s`);
    });
  try {
    const emit = async (text: string) => {
      signal?.throwIfAborted();
      // A failed target destroys `gzip`. `written` rejects with the target's error.
      if (gzip.destroyed) await written;
      if (!gzip.write(text)) await Promise.race([drained(), written]);
    };
    const rows = await dump(db, secret, emit, part);
    gzip.end();
    await written;
    return rows;
  } catch (error) {
    gzip.destroy(error as Error);
    // When the target failed first, `written` rejects with the target's error, which is the cause.
    await written;
    throw error;
  }
}
