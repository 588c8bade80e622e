import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

/**
 * URL of the PostgreSQL server for tests. A function, because a process learns the URL of its own database only after
 * this file is loaded.
 */
const base = () => process.env["TEST_DATABASE_URL"];

/** `describe` for tests that need PostgreSQL: skipped without TEST_DATABASE_URL. Benches load this file, too. */
export const describeOnPostgres = (title: string, body: (this: Mocha.Suite) => void) =>
  (base() ? describe : describe.skip)(title, body);

/** Runs one statement on a new connection. */
export async function runSql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Creates an empty database beside the database of TEST_DATABASE_URL; `drop` removes the new database. */
export async function createDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(String(base()));
  url.pathname = `/${name}`;
  await runSql(String(base()), `create database ${name}`);
  return {
    url: url.href,
    drop: async () => void (await runSql(String(base()), `drop database ${name} with (force)`)),
  };
}

/** Separate PostgreSQL cluster that a test may kill. */
export interface PostgresCluster {
  url: string;
  /** Path of the log file. */
  log: string;
  start(): void;
  /** Kills every process at once, without a checkpoint. */
  crash(): void;
  /** Stops the cluster and removes the files. */
  remove(): void;
}

/** Finds the folder of PostgreSQL's server programs; undefined on a machine without them. */
export function findPostgresPrograms(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl")));
}

/**
 * Creates and starts a cluster on a free port. `options` are added to the server's command line. The cluster ends
 * with this process, even when this process is killed.
 */
export async function startOwnCluster(options = ""): Promise<PostgresCluster> {
  const directory = mkdtempSync(join(tmpdir(), "trackway-cluster-"));
  const commandOf = commandsIn(directory);
  const run = (program: string, ...args: string[]) => {
    const [command = "", ...rest] = commandOf(program, ...args);
    execFileSync(command, rest, { stdio: "ignore", cwd: directory });
  };
  const data = join(directory, "data");
  const port = await findFreePort();
  run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync");
  const control = (action: string, ...more: string[]) => run("pg_ctl", action, "-D", data, "-w", ...more);
  const start = () =>
    control("start", "-l", join(directory, "log"), "-o", `-p ${port} -k ${directory} -h 127.0.0.1 ${options}`);
  const watcher = removeAtExit(directory, commandOf("pg_ctl", "stop", "-D", data, "-w", "-m", "immediate"));
  start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    log: join(directory, "log"),
    start,
    crash: () => control("stop", "-m", "immediate"),
    remove() {
      try {
        control("stop", "-m", "fast");
      } finally {
        rmSync(directory, { recursive: true, force: true });
        watcher.end();
      }
    },
  };
}

/**
 * Starts a process that stops a cluster and removes the files when the returned pipe closes. The system closes the
 * pipe when this process ends, by whatever signal.
 */
function removeAtExit(directory: string, stop: readonly string[]): Socket {
  const script = 'cat > /dev/null; "$@"; rm -rf "$0"';
  const watcher = spawn("sh", ["-c", script, directory, ...stop], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
  });
  watcher.unref();
  const pipe = watcher.stdin as Socket;
  return pipe.on("error", () => {}).unref();
}

/**
 * Returns the commands of the server's programs in a directory. The programs refuse to run as root; for root the
 * commands switch to the user postgres.
 */
function commandsIn(directory: string): (program: string, ...args: string[]) => string[] {
  const programs = findPostgresPrograms();
  if (!programs) throw new Error("initdb and pg_ctl are not installed");
  const root = process.getuid?.() === 0;
  if (root) {
    const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"]).toString());
    chownSync(directory, id("-u"), id("-g"));
  }
  chmodSync(directory, 0o700);
  const asPostgres = root ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  return (program, ...args) => [...asPostgres, join(programs, program), ...args];
}

/** Finds a port of loopback on which nothing listens. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
