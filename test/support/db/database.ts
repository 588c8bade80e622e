import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, type OpenOptions, openDatabase } from "../../../db/open.ts";

/** A new empty directory, removed when the run ends. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "trackway-database-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Opens the engine this run tests: PostgreSQL with TEST_DATABASE_URL, else an embedded one in a fresh directory. */
export const openTestDatabase = (options: Partial<OpenOptions> = {}): Promise<Database> =>
  openDatabase({
    url: process.env["TEST_DATABASE_URL"] || undefined,
    dataDir: freshDirectory(),
    poolSize: 4,
    ...options,
  });

/** Resolves to the error `work` fails with. @throws when it succeeds */
export async function failure(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error("it did not fail");
}

/** Another process with the database open. */
export interface Opener {
  /** Its output until it ended or was killed. */
  output: Promise<string>;
  /** Resolves when it has printed "open". */
  opened: Promise<void>;
  kill(): void;
}

/** Opens the database in a process of its own, runs `script` with `db` there, and closes it. */
export function openElsewhere(options: Partial<OpenOptions>, script = ""): Opener {
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
 * SQL of a moment so much earlier. Where tables lie on several nodes an update takes nothing that depends on a session's
 * time zone, as a time with zone less an interval does.
 */
export const earlier = (column: string, interval: string): string =>
  `(${column} at time zone 'UTC' - ${interval}) at time zone 'UTC'`;
