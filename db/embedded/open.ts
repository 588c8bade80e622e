import { resolve } from "node:path";
import type { Database } from "../database.ts";
import { createDatabase } from "../engine.ts";
import { DatabaseOpenError } from "../errors/cannot-open.ts";
import { explainFileOfOtherUser } from "../errors/folder.ts";
import { describeFullDisk } from "../errors/full-disk.ts";
import { migrate } from "../migrations/index.ts";
import { createPool, type Pool } from "../pool/pool.ts";
import type { CancelStatement } from "../statements/statement.ts";
import { createLocalWakeNotifier } from "../wake/wake.ts";
import { createEngineSocket, type EngineSocket } from "./bridge.ts";
import { type LockedDirectory, lockAndPrepareDirectory } from "./directory.ts";
import { type Supervisor, superviseEngine } from "./supervisor.ts";
import { startMaintenance } from "./upkeep.ts";

type Warn = (message: string) => void;

/** Opens the embedded engine in `dataDir`, migrates the database, and starts its maintenance. @throws DatabaseOpenError */
export async function openEmbedded(dataDir: string, warn: Warn): Promise<Database> {
  const { database, pool } = await openUnmigrated(dataDir, warn);
  await database
    .as("upkeep", () => database.connection(migrate))
    .catch(async (error) => {
      await database.close();
      throw error;
    });
  const stopUpkeep = startMaintenance(database, pool.lastReturn, warn);
  return {
    ...database,
    close() {
      stopUpkeep();
      return database.close();
    },
  };
}

/** Opens the embedded engine without migration and maintenance. @throws DatabaseOpenError */
export async function openUnmigrated(dataDir: string, warn: Warn): Promise<{ database: Database; pool: Pool }> {
  const directory = await lockAndPrepareDirectory(dataDir);
  const supervisor = await superviseEngine(directory.path, warn).catch(async (error) => {
    directory.release();
    throw new DatabaseOpenError(`DATA_DIR: ${await whyClosed(directory.path, dataDir, error)}`, { cause: error });
  });
  const pool = createEmbeddedPool(supervisor);
  return { database: over(pool, supervisor, { directory, warn }), pool };
}

/**
 * Explains why the engine cannot open a database. Suggests a fix only if the cause is known for sure, because a wrong
 * fix could destroy the data.
 */
async function whyClosed(path: string, dataDir: string, error: unknown): Promise<string> {
  const foreign = explainFileOfOtherUser(resolve(dataDir));
  if (foreign) return foreign;
  const full = await describeFullDisk(path);
  const unknown = "; nothing was changed. Copy this folder before you try anything (docs/troubleshooting.md)";
  return `the database in ${path} does not open (${error})${full || unknown}`;
}

/** Creates a pool with one connection, because the engine has one session. */
const createEmbeddedPool = (supervisor: Supervisor): Pool =>
  createPool(
    { user: "postgres", stream: () => createEngineSocket(supervisor), connectionTimeoutMillis: 3_000 },
    { size: 1, cancel },
  );

/**
 * Cancels a statement through the stream of its connection. The embedded engine has no server that listens for cancel
 * requests.
 */
const cancel: CancelStatement = (client) =>
  (client as unknown as { connection: { stream: EngineSocket } }).connection.stream.cancel();

const over = (
  pool: Pool,
  supervisor: Supervisor,
  { directory, warn }: { directory: LockedDirectory; warn: Warn },
): Database =>
  createDatabase({
    name: "embedded",
    pool,
    wake: createLocalWakeNotifier(),
    signOfLifeMs: 5_000,
    warn,
    async close() {
      await pool.end();
      await supervisor.close();
      directory.release();
    },
  });
