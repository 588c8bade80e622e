import { once } from "node:events";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Database } from "../../db/open.ts";
import { type BackupScope, dumpDatabase } from "./backup/dump.ts";

/**
 * Time in ms after which the backup fails if the target accepts no data. On the embedded engine, a waiting backup would
 * block the server, because the backup holds the only connection.
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
  part: BackupScope = "all",
  signal?: AbortSignal,
): Promise<number> {
  const gzip = createGzip({ level: 6 });
  const written = pipeline(gzip, target);
  // The empty handler only prevents an unhandled rejection of `written`. `await written` below reports a failure of the
  // target.
  written.catch(() => {});
  const drained = () =>
    once(gzip, "drain", { signal: AbortSignal.timeout(STALLED_MS) }).catch(() => {
      throw new Error(`nothing took the backup for ${STALLED_MS / 1000} s`);
    });
  try {
    const emit = async (text: string) => {
      signal?.throwIfAborted();
      // If the target failed, `gzip` is destroyed, and `await written` throws the target's error.
      if (gzip.destroyed) await written;
      if (!gzip.write(text)) await Promise.race([drained(), written]);
    };
    const rows = await dumpDatabase(db, secret, emit, part);
    gzip.end();
    await written;
    return rows;
  } catch (error) {
    gzip.destroy(error as Error);
    // If the target failed first, the target's error is the cause. `await written` then throws the target's error
    // instead of `error`.
    await written;
    throw error;
  }
}
