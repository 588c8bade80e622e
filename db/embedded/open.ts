import { CannotOpen } from "../cannot-open.ts";
import type { Engine } from "../engine.ts";
import { createPool } from "../pool.ts";
import { localWake } from "../wake-local.ts";
import { createBridge } from "./bridge.ts";
import { claimDirectory } from "./directory.ts";
import { supervise } from "./supervisor.ts";

export async function openEmbedded(dataDir: string, warn: (message: string) => void): Promise<Engine> {
  const directory = await claimDirectory(dataDir);
  const supervisor = await supervise(directory.path, warn).catch((error) => {
    directory.release();
    throw new CannotOpen(`DATA_DIR: the database in ${directory.path} does not open (${error})`, { cause: error });
  });
  const connection = { user: "postgres", stream: () => createBridge(supervisor), connectionTimeoutMillis: 3_000 };
  // Nothing there listens for a cancel: the supervisor's own limit ends what takes too long.
  const pool = createPool(connection, 1, () => {});
  const close = async () => {
    await pool.knex.destroy();
    await supervisor.close();
    directory.release();
  };
  return { name: "embedded", pool, wake: localWake(), patience: 5_000, close };
}
