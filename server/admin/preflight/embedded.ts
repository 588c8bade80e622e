import { access, mkdtemp, readdir, readFile, rmdir, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EMBEDDED_MAJOR } from "../../../db/embedded/directory.ts";
import { openUnmigrated } from "../../../db/embedded/open.ts";
import { LEAST_SECRET } from "../../config.ts";
import { checkSetting, extensionsCheck, type Finding, failed, ok, runChecks, warning } from "./finding.ts";
import { locksCheck, migrationsCheck } from "./migrations.ts";

const MB = 2 ** 20;
/** Minimum free disk space in bytes. With less, a checkpoint or migration may fill the disk. */
const LEAST_FREE = 256 * MB;

/**
 * Runs every check of the embedded database. Opens the database unless a
 * running server holds the lock, and changes no data.
 */
export async function checkEmbedded(dataDir: string): Promise<Finding[]> {
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

async function insideFindings(dataDir: string): Promise<Finding[]> {
  const opened = await openUnmigrated(dataDir, () => {}).catch((error: Error) => error);
  if (opened instanceof Error) {
    const served = /^DATA_DIR: process \d+ already uses/.test(opened.message);
    return [{ check: "database", state: served ? "warning" : "failed", text: opened.message }];
  }
  const { database } = opened;
  const checks = {
    encoding: checkSetting("server_encoding", "UTF8"),
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

/** The nearest parent folder that exists. The first start creates the missing folders. */
async function nearest(path: string): Promise<string> {
  return (await exists(path)) || path === dirname(path) ? path : nearest(dirname(path));
}

async function folderCheck(path: string) {
  const there = await nearest(path);
  const info = await stat(there);
  if (!info.isDirectory()) return failed(`${there} is no folder; choose another DATA_DIR`);
  const fault = await writeFault(there);
  if (fault)
    return failed(`${there} cannot be written (${fault}); give it to the server's user, or choose another DATA_DIR`);
  if (there !== path) return ok(`${path} is made at the first start`);
  if (info.mode & 0o077) return warning(`${path} is open to other users; chmod 700 it`);
  return ok(`${path} is this user's alone`);
}

/** Tries a write, because permissions alone do not show a read-only mount. */
const writeFault = (folder: string): Promise<string | undefined> =>
  mkdtemp(join(folder, ".preflight-"))
    .then(rmdir)
    .then(
      () => undefined,
      (error: Error) => error.message,
    );

async function secretCheck(file: string) {
  if (!(await exists(file))) return undefined;
  if ((await stat(file)).mode & 0o077) return failed(`${file} is open to other users; chmod 600 it`);
  const { length } = (await readFile(file, "utf8")).trim();
  return length < LEAST_SECRET
    ? failed(`${file} has fewer than ${LEAST_SECRET} characters; put back the one it held`)
    : ok("it is kept");
}

async function versionCheck(database: string) {
  if (!(await exists(database))) return ok(`the first start makes a database of version ${EMBEDDED_MAJOR}`);
  const version = (await readFile(join(database, "PG_VERSION"), "utf8").catch(() => "none")).trim();
  return version === EMBEDDED_MAJOR
    ? ok(`version ${version}`)
    : failed(
        `version ${version}, and this release needs ${EMBEDDED_MAJOR}; npm run backup with the release that wrote it`,
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
  if (free < LEAST_FREE) return failed(`${text}; free at least ${LEAST_FREE / MB} MB`);
  return free < used + LEAST_FREE ? warning(`${text}; have as much free again before an upgrade`) : ok(text);
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
