import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildLaterTimeSql } from "../../../db/distribution/moments.ts";
import { type Database, type OpenOptions, openDatabase } from "../../../db/open.ts";
import { copyEmptyDatabase } from "./empty-database.ts";

/** Creates an empty directory that is removed at the end of the run. */
export function createDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "trackway-database-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * Creates a directory with a migrated embedded database without rows. Migrating an empty database takes three seconds
 * of CPU.
 */
export function createMigratedDirectory(): string {
  const directory = createDirectory();
  copyEmptyDatabase(directory);
  return directory;
}

/**
 * Opens the engine that this run tests: PostgreSQL if TEST_DATABASE_URL is set, else an embedded database in a new
 * directory.
 */
export function openTestDatabase(options: Partial<OpenOptions> = {}): Promise<Database> {
  const url = process.env["TEST_DATABASE_URL"] || undefined;
  return openDatabase({ url, dataDir: url ? "unused" : createMigratedDirectory(), poolSize: 4, ...options });
}

/** Resolves to the error with which `work` fails. @throws when `work` succeeds */
export async function catchFailure(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}

/** Separate process that has the database open. */
export interface DatabaseProcess {
  /** Complete output, after the process exited or was killed. */
  output: Promise<string>;
  /** Resolves when the process has printed "open". */
  opened: Promise<void>;
  kill(): void;
}

/** Opens the database in a separate process, runs `script` with `db` there, and closes the database. */
export function openInProcess(options: Partial<OpenOptions>, script = ""): DatabaseProcess {
  const module = new URL("../../../dist/db/open.js", import.meta.url).href;
  const program = `import { openDatabase } from ${JSON.stringify(module)};
    const db = await openDatabase(${JSON.stringify({ dataDir: "unused", poolSize: 2, ...options })});
    console.log("open"); ${script}; await db.close(); console.log("closed"); process.exit(0);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  let text = "";
  const opened = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (piece) => {
        text += piece;
        if (text.startsWith("open")) resolve();
      });
    }
  });
  return { output: once(child, "close").then(() => text), opened, kill: () => void child.kill("SIGKILL") };
}

/**
 * SQL expression that moves a time into the past. On Citus an update accepts no expression that depends on the time
 * zone of the database session, such as a `timestamptz` minus an interval.
 */
export const earlierSql = (column: string, interval: string): string => buildLaterTimeSql(column, `- (${interval})`);

/** SQL assignments that move some times of a row into the past. */
export const setEarlierSql = (columns: readonly string[], interval: string): string =>
  columns.map((column) => `"${column}" = ${earlierSql(`"${column}"`, interval)}`).join(", ");
