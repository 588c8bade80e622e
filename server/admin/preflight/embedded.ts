import { access, mkdtemp, readdir, readFile, rmdir, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EMBEDDED_POSTGRES_MAJOR } from "../../../db/embedded/directory.ts";
import { openUnmigrated } from "../../../db/embedded/open.ts";
import { MIN_SECRET_CHARS } from "../../config.ts";
import {
  createSettingCheck,
  extensionsCheck,
  failedResult,
  okResult,
  type PreflightFinding,
  runChecks,
  warningResult,
} from "./finding.ts";
import { locksCheck, migrationsCheck } from "./migrations.ts";

const MB = 2 ** 20;
/** Minimum free disk space in bytes. With less, a checkpoint or migration may fill the disk. */
const LEAST_FREE = 256 * MB;

/**
 * Runs every check of the embedded database. Opens the database unless a
 * running server holds the lock, and changes no data.
 */
export async function checkEmbedded(dataDir: string): Promise<PreflightFinding[]> {
  const database = join(resolve(dataDir), "database");
  const folder = await runChecks(
    {
      "data directory": () => folderCheck(resolve(dataDir)),
      secret: () => secretCheck(join(dataDir, "jwt-secret")),
      version: () => versionCheck(database),
      "free space": () => spaceCheck(resolve(dataDir), database),
    },
    async () => [],
  );
  if (folder.some(({ state }) => state === "failed") || !(await exists(database))) return folder;
  return [...folder, ...(await insideFindings(dataDir))];
}

async function insideFindings(dataDir: string): Promise<PreflightFinding[]> {
  const opened = await openUnmigrated(dataDir, () => {}).catch((error: Error) => error);
  if (opened instanceof Error) {
    const served = /^DATA_DIR: process \d+ already uses/.test(opened.message);
    return [{ check: "database", state: served ? "warning" : "failed", text: opened.message }];
  }
  const { database } = opened;
  const checks = {
    encoding: createSettingCheck("server_encoding", "UTF8"),
    extensions: extensionsCheck,
    locks: locksCheck,
    migrations: migrationsCheck,
  };
  try {
    return await runChecks(checks, (text, values = []) => database.query({ text, values }));
  } finally {
    await database.close();
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Returns the nearest folder that exists: `path` itself or one of its parents. The path need not exist, because the
 * first start creates missing folders.
 */
async function nearest(path: string): Promise<string> {
  return (await exists(path)) || path === dirname(path) ? path : nearest(dirname(path));
}

async function folderCheck(path: string) {
  const there = await nearest(path);
  const info = await stat(there);
  if (!info.isDirectory()) return failedResult(`${there} is no folder; choose another DATA_DIR`);
  const fault = await writeFault(there);
  if (fault)
    return failedResult(
      `${there} cannot be written (${fault}); give it to the server's user, or choose another DATA_DIR`,
    );
  if (there !== path) return okResult(`${path} is made at the first start`);
  if (info.mode & 0o077) return warningResult(`${path} is open to other users; chmod 700 it`);
  return okResult(`${path} is this user's alone`);
}

/**
 * Tests whether a folder is writable by creating a subfolder, because permissions alone do not show a read-only mount.
 */
const writeFault = (folder: string): Promise<string | undefined> =>
  mkdtemp(join(folder, ".preflight-"))
    .then(rmdir)
    .then(
      () => undefined,
      (error: Error) => error.message,
    );

async function secretCheck(file: string) {
  if (!(await exists(file))) return undefined;
  if ((await stat(file)).mode & 0o077) return failedResult(`${file} is open to other users; chmod 600 it`);
  const { length } = (await readFile(file, "utf8")).trim();
  return length < MIN_SECRET_CHARS
    ? failedResult(`${file} has fewer than ${MIN_SECRET_CHARS} characters; put back the one it held`)
    : okResult("it is kept");
}

async function versionCheck(database: string) {
  if (!(await exists(database)))
    return okResult(`the first start makes a database of version ${EMBEDDED_POSTGRES_MAJOR}`);
  const version = (await readFile(join(database, "PG_VERSION"), "utf8").catch(() => "none")).trim();
  return version === EMBEDDED_POSTGRES_MAJOR
    ? okResult(`version ${version}`)
    : failedResult(
        `version ${version}, and this release needs ${EMBEDDED_POSTGRES_MAJOR}; npm run backup with the release that wrote it`,
      );
}

/**
 * Warns when less space is free than the database uses: a migration may rewrite a table, and a restored backup needs
 * a second copy.
 */
async function spaceCheck(dataDir: string, database: string) {
  const { bavail, bsize } = await statfs(await nearest(dataDir));
  const [free, used] = [bavail * bsize, await sizeOf(database)];
  const text = `${Math.floor(free / MB)} MB free, the database has ${Math.ceil(used / MB)} MB`;
  if (free < LEAST_FREE) return failedResult(`${text}; free at least ${LEAST_FREE / MB} MB`);
  return free < used + LEAST_FREE
    ? warningResult(`${text}; have as much free again before an upgrade`)
    : okResult(text);
}

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = files
    .filter((file) => file.isFile())
    .map((file) =>
      stat(join(file.parentPath, file.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
