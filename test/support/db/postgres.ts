import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

/** The PostgreSQL of tests that need one. A process learns its own database after this file is loaded. */
const base = () => process.env["TEST_DATABASE_URL"];

/** `describe` for what only PostgreSQL can show: skipped without TEST_DATABASE_URL. Benches load this file too. */
export const describeOnPostgres = (title: string, body: (this: Mocha.Suite) => void) =>
  (base() ? describe : describe.skip)(title, body);

/** Runs one statement over a connection of its own. */
export async function runSql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Makes an empty database beside TEST_DATABASE_URL's; `drop` removes it. */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(String(base()));
  url.pathname = `/${name}`;
  await runSql(String(base()), `create database ${name}`);
  return {
    url: url.href,
    drop: async () => void (await runSql(String(base()), `drop database ${name} with (force)`)),
  };
}

/** A PostgreSQL cluster of one's own, to be killed at will. */
export interface Cluster {
  url: string;
  /** The file it writes its log to. */
  log: string;
  start(): void;
  /** Ends every process at once, without a checkpoint. */
  crash(): void;
  /** Ends it and removes its files. */
  remove(): void;
}

/** The folder of the server's programs, where a machine has them. */
export function findPrograms(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(":"),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl")));
}

/** Creates and starts a cluster on a free port. `options` go to the server's command line. */
export async function ownCluster(options = ""): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), "trackway-cluster-"));
  const run = runnerIn(directory);
  const data = join(directory, "data");
  const port = await freePort();
  run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync");
  const control = (action: string, ...more: string[]) => run("pg_ctl", action, "-D", data, "-w", ...more);
  const start = () =>
    control("start", "-l", join(directory, "log"), "-o", `-p ${port} -k ${directory} -h 127.0.0.1 ${options}`);
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
      }
    },
  };
}

/** Runs the server's programs in a directory. They refuse to run as root, so then they run as postgres. */
function runnerIn(directory: string): (program: string, ...args: string[]) => void {
  const programs = findPrograms();
  if (!programs) throw new Error("initdb and pg_ctl are not installed");
  const root = process.getuid?.() === 0;
  if (root) {
    const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"]).toString());
    chownSync(directory, id("-u"), id("-g"));
  }
  chmodSync(directory, 0o700);
  const asPostgres = root ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  return (program, ...args) => {
    const [command = "", ...rest] = [...asPostgres, join(programs, program), ...args];
    execFileSync(command, rest, { stdio: "ignore", cwd: directory });
  };
}

/** A port of loopback that nobody listens on. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
