import { resolve } from "node:path";
import type { Database } from "../database.ts";
import { createDatabase } from "../engine.ts";
import { CannotOpen } from "../errors/cannot-open.ts";
import { explainForeignFile } from "../errors/folder.ts";
import { describeFullDisk } from "../errors/full-disk.ts";
import { migrate } from "../migrations/index.ts";
import { createPool, type Pool } from "../pool/pool.ts";
import type { CancelStatement } from "../statements/statement.ts";
import { createLocalWake } from "../wake/wake.ts";
import { type Bridge, createBridge } from "./bridge.ts";
import { type ClaimedDirectory, prepareDirectory } from "./directory.ts";
import { type Supervisor, superviseEngine } from "./supervisor.ts";
import { startMaintenance } from "./upkeep.ts";

type Warn = (message: string) => void;

/** Opens the embedded engine in `dataDir`, migrates the database, and starts its maintenance. @throws CannotOpen */
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

/** Opens the embedded engine without migration and maintenance. @throws CannotOpen */
export async function openUnmigrated(dataDir: string, warn: Warn): Promise<{ database: Database; pool: Pool }> {
  const directory = await prepareDirectory(dataDir);
  const supervisor = await superviseEngine(directory.path, warn).catch(async (error) => {
    directory.release();
    throw new CannotOpen(`DATA_DIR: ${await whyClosed(directory.path, dataDir, error)}`, { cause: error });
  });
  const pool = createEmbeddedPool(supervisor);
  return { database: over(pool, supervisor, { directory, warn }), pool };
}

/**
 * Explains why the engine cannot open a database. Suggests a fix only for a certain cause, because a wrong fix could cost
 * the data.
 */
async function whyClosed(path: string, dataDir: string, error: unknown): Promise<string> {
  const foreign = explainForeignFile(resolve(dataDir));
  if (foreign) return foreign;
  const full = await describeFullDisk(path);
  const unknown = "; nothing was changed. Copy this folder before you try anything (docs/troubleshooting.md)";
  return `the database in ${path} does not open (${error})${full || unknown}`;
}

/** Creates a pool with one connection, because the engine has one session. */
const createEmbeddedPool = (supervisor: Supervisor): Pool =>
  createPool(
    { user: "postgres", stream: () => createBridge(supervisor), connectionTimeoutMillis: 3_000 },
    { size: 1, cancel },
  );

/** Cancels over the stream of the connection, because no server listens for cancel requests. */
const cancel: CancelStatement = (client) =>
  (client as unknown as { connection: { stream: Bridge } }).connection.stream.cancel();

const over = (
  pool: Pool,
  supervisor: Supervisor,
  { directory, warn }: { directory: ClaimedDirectory; warn: Warn },
): Database =>
  createDatabase({
    name: "embedded",
    pool,
    wake: createLocalWake(),
    signOfLifeMs: 5_000,
    warn,
    async close() {
      await pool.end();
      await supervisor.close();
      directory.release();
    },
  });
