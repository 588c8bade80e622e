import type { Database } from "../database.ts";
import { databaseOver } from "../engine.ts";
import { CannotOpen } from "../errors/cannot-open.ts";
import { migrate } from "../migrations/index.ts";
import { createPool, type Pool } from "../pool/pool.ts";
import type { Cancel } from "../statements/statement.ts";
import { localWake } from "../wake/wake.ts";
import { type Bridge, createBridge } from "./bridge.ts";
import { claimDirectory, type Directory } from "./directory.ts";
import { type Supervisor, supervise } from "./supervisor.ts";
import { startUpkeep } from "./upkeep.ts";

type Warn = (message: string) => void;

/** The embedded engine under `dataDir`, migrated and tended. @throws CannotOpen */
export async function openEmbedded(dataDir: string, warn: Warn): Promise<Database> {
  const { database, pool } = await openUnmigrated(dataDir, warn);
  await database
    .as("upkeep", () => database.connection(migrate))
    .catch(async (error) => {
      await database.close();
      throw error;
    });
  const stopUpkeep = startUpkeep(database, pool.lastReturn, warn);
  return {
    ...database,
    close() {
      stopUpkeep();
      return database.close();
    },
  };
}

/** The same as it lies there: neither migrated nor tended. @throws CannotOpen */
export async function openUnmigrated(dataDir: string, warn: Warn): Promise<{ database: Database; pool: Pool }> {
  const directory = await claimDirectory(dataDir);
  const supervisor = await supervise(directory.path, warn).catch((error) => {
    directory.release();
    throw new CannotOpen(
      `DATA_DIR: the database in ${directory.path} does not open (${error}); restore a backup into an empty one`,
      { cause: error },
    );
  });
  const pool = createEmbeddedPool(supervisor);
  return { database: over(pool, supervisor, { directory, warn }), pool };
}

/** One connection, since the engine has one session. */
const createEmbeddedPool = (supervisor: Supervisor): Pool =>
  createPool(
    { user: "postgres", stream: () => createBridge(supervisor), connectionTimeoutMillis: 3_000 },
    { size: 1, cancel },
  );

/** No server listens for cancel requests here: the connection's stream leads to the engine. */
const cancel: Cancel = (client) => (client as unknown as { connection: { stream: Bridge } }).connection.stream.cancel();

const over = (
  pool: Pool,
  supervisor: Supervisor,
  { directory, warn }: { directory: Directory; warn: Warn },
): Database =>
  databaseOver({
    name: "embedded",
    pool,
    wake: localWake(),
    signOfLifeMs: 5_000,
    warn,
    async close() {
      await pool.end();
      await supervisor.close();
      directory.release();
    },
  });
