import { fork } from "node:child_process";
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseOpenError } from "../errors/cannot-open.ts";
import { explainFolderError } from "../errors/folder.ts";
import { describeFullDisk, isFullDisk } from "../errors/full-disk.ts";
import { createFolder } from "./create-folder.ts";
import { lockFile } from "./file-lock.ts";

/**
 * Locks the database directory.
 * @returns the function that releases the lock
 * @throws DatabaseOpenError if another process holds the lock, or if the file system supports no locks
 */
function takeLock(path: string): () => void {
  let release: (() => void) | undefined;
  try {
    release = lockFile(path);
  } catch (error) {
    // The file could be opened but not locked. The file system therefore does not support locks, like some network file
    // systems.
    if (!(error instanceof Error && "path" in error) && !isFullDisk(error))
      throw new DatabaseOpenError(
        `DATA_DIR: ${path} cannot be locked (${error}); use a local file system or DATABASE_URL`,
      );
    throw error;
  }
  if (!release) throw new DatabaseOpenError(taken(path));
  return release;
}

function taken(path: string): string {
  const holder = readFileSync(path, "utf8");
  return `DATA_DIR: process ${holder} already uses this directory (${path}); stop it or choose another DATA_DIR`;
}

/** Major version of PostgreSQL in the pinned PGlite, which cannot open a directory of another major version. */
export const EMBEDDED_POSTGRES_MAJOR = "18";

/** A database directory that this process has locked until `release`. */
export interface LockedDirectory {
  path: string;
  release(): void;
}

/**
 * Locks `dataDir`, creates the database if there is none, and checks the version of the database.
 * @throws DatabaseOpenError before any data is changed
 */
export async function lockAndPrepareDirectory(dataDir: string): Promise<LockedDirectory> {
  const path = join(resolve(dataDir), "database");
  let release = () => {};
  try {
    createFolder(resolve(dataDir));
    release = takeLock(`${path}.lock`);
    if (!existsSync(path)) await create(path);
    checkVersion(path);
    return { path, release };
  } catch (error) {
    release();
    if (error instanceof DatabaseOpenError) throw error;
    throw new DatabaseOpenError(`DATA_DIR: ${explainFolderError(resolve(dataDir), error)}`, { cause: error });
  }
}

function checkVersion(path: string): void {
  const version = versionOf(path);
  if (version === undefined) {
    throw new DatabaseOpenError(
      `DATA_DIR: ${path} holds no PG_VERSION: files are missing, or another program uses it; put the files back, or choose ` +
        "another DATA_DIR",
    );
  }
  if (version !== EMBEDDED_POSTGRES_MAJOR) {
    throw new DatabaseOpenError(
      `DATA_DIR: ${path} holds a database of version ${version}, this release needs ${EMBEDDED_POSTGRES_MAJOR}; ` +
        "back it up with the release that wrote it (npm run backup) and restore it into an empty DATA_DIR",
    );
  }
}

/**
 * Returns the major version of a database; undefined if the version file is missing.
 * @throws the system's error
 */
function versionOf(path: string): string | undefined {
  try {
    return readFileSync(join(path, "PG_VERSION"), "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Creates the database under a temporary name, and renames it when all files are on disk. */
async function create(path: string): Promise<void> {
  const parent = join(path, "..");
  clearLeftovers(parent);
  const temporary = `${path}.tmp-${process.pid}`;
  await initialize(temporary);
  renameSync(temporary, path);
  syncDirectory(parent);
}

/**
 * Removes the files of first starts that were killed. If a child process of such a start still writes files, the next
 * start removes these files.
 */
function clearLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((name) => name.startsWith("database.tmp-"))) {
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // The leftover files do not matter, because this start uses another name.
    }
  }
}

/**
 * Runs initialize.js in a child process. The file is plain JavaScript, so that the child process needs no TypeScript
 * loader.
 */
async function initialize(target: string): Promise<void> {
  const program = fileURLToPath(new URL("./initialize.js", import.meta.url));
  const child = fork(program, [target], { execArgv: ["--liftoff-only"], stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let complaint = "";
  child.stderr?.on("data", (text) => {
    complaint = `${complaint}${text}`.slice(-4_000);
  });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) {
    const reason = complaint.match(/^\w*Error.*$/m)?.[0] ?? `exit code ${code}`;
    const full = await describeFullDisk(dirname(target));
    const cure = full || (/memory|allocation|exit code null/i.test(reason) ? "; free memory" : "");
    throw new DatabaseOpenError(`DATA_DIR: the database could not be created in ${target} (${reason})${cure}`);
  }
}

/** Makes the file names in a directory durable with fsync. On Windows, no call is necessary. */
function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  fsyncSync(directory);
  closeSync(directory);
}
