import { fork } from "node:child_process";
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CannotOpen } from "../errors/cannot-open.ts";
import { createFolder } from "./create-folder.ts";
import { lockFile } from "./file-lock.ts";

/**
 * Takes the lock of the database directory.
 * @returns the function that releases it
 * @throws CannotOpen when it is held
 */
function takeLock(path: string): () => void {
  let release: (() => void) | undefined;
  try {
    release = lockFile(path);
  } catch (error) {
    throw new CannotOpen(`DATA_DIR: ${path} cannot be locked (${error}); use a local file system or DATABASE_URL`);
  }
  if (!release) throw new CannotOpen(taken(path));
  return release;
}

function taken(path: string): string {
  const holder = readFileSync(path, "utf8");
  return `DATA_DIR: process ${holder} already uses this directory (${path}); stop it or choose another DATA_DIR`;
}

/** The PostgreSQL inside the pinned PGlite; a directory of another major version does not open. */
export const EMBEDDED_MAJOR = "18";

/** A database directory that is this process's own until `release`. */
export interface Directory {
  path: string;
  release(): void;
}

/**
 * Locks `dataDir`, creates the database in it unless there is one, and checks its version.
 * @throws CannotOpen before any data is touched
 */
export async function claimDirectory(dataDir: string): Promise<Directory> {
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
    if (error instanceof CannotOpen) throw error;
    throw new CannotOpen(`DATA_DIR: ${dataDir} cannot be used (${error}); choose a directory that can be written`);
  }
}

function checkVersion(path: string): void {
  const version = existsSync(join(path, "PG_VERSION")) ? readFileSync(join(path, "PG_VERSION"), "utf8").trim() : "none";
  if (version !== EMBEDDED_MAJOR) {
    throw new CannotOpen(
      `DATA_DIR: ${path} holds a database of version ${version}, this release needs ${EMBEDDED_MAJOR}; ` +
        "back it up with the release that wrote it (npm run backup) and restore it into an empty DATA_DIR",
    );
  }
}

/** Creates the database under another name and renames it when all of it is on disk. */
async function create(path: string): Promise<void> {
  const parent = join(path, "..");
  clearLeftovers(parent);
  const temporary = `${path}.tmp-${process.pid}`;
  await initialize(temporary);
  renameSync(temporary, path);
  syncDirectory(parent);
}

/** Removes what killed first starts left. The child of one may still be at it: then the next start removes the rest. */
function clearLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((name) => name.startsWith("database.tmp-"))) {
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // Not in the way: this start uses another name.
    }
  }
}

/** Runs initialize.js. It is plain JavaScript, so the child needs none of this process's loaders. */
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
    throw new CannotOpen(`DATA_DIR: the database could not be created in ${target} (${reason}); free space or memory`);
  }
}

/** Makes the names in a directory durable; Windows keeps them so by itself. */
function syncDirectory(path: string): void {
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  fsyncSync(directory);
  closeSync(directory);
}
