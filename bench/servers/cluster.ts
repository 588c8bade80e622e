import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { citus, citusDatabase, citusWorkers, distribute, dropCitusDatabase } from "../../test/support/db/citus.ts";
import { findPrograms, ownCluster } from "../../test/support/db/postgres.ts";
import { pidFileOf, postmasterOf } from "../support/postmaster.ts";

/** The database under torture. */
export interface Cluster {
  url: string;
  engine: "postgresql" | "citus";
  /** On Citus: ends one of the workers at once, and starts it again; resolves when it works. */
  strikeWorker?(at: number, ms: number): Promise<void>;
  remove(): void;
}

/** A PostgreSQL of its own, or with TEST_CITUS_URL a database on the nodes there, spread over them. */
export async function startCluster(): Promise<Cluster> {
  if (!citus) return { ...(await ownCluster()), engine: "postgresql" };
  const url = await citusDatabase("torture");
  distribute(url, "--apply");
  return { url, engine: "citus", strikeWorker, remove: () => void dropCitusDatabase(url).catch(() => {}) };
}

async function strikeWorker(at: number, ms: number): Promise<void> {
  const url = citusWorkers[at % citusWorkers.length] ?? "";
  const [pid, pidFile] = [await postmasterOf(url), await pidFileOf(url)];
  process.kill(pid, "SIGQUIT");
  await new Promise((resume) => setTimeout(resume, ms));
  const root = process.getuid?.() === 0;
  const asPostgres = root ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  const data = dirname(pidFile);
  // A restart takes the options of the last start, the port among them; "start" takes none.
  const command = [...asPostgres, `${findPrograms()}/pg_ctl`, "restart", "-D", data, "-w", "-l", `${data}.log`];
  execFileSync(String(command[0]), command.slice(1), { stdio: "ignore", cwd: "/" });
}
