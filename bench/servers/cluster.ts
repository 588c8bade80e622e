import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  citusUrl,
  citusWorkerUrls,
  createCitusDatabase,
  dropCitusDatabase,
  runDistribute,
} from "../../test/support/db/citus.ts";
import { findPostgresPrograms, runSql, startOwnCluster } from "../../test/support/db/postgres.ts";
import { findPidFile, findPostmaster } from "../support/postmaster.ts";

interface Node {
  url: string;
  /** The node's number in the cluster; the coordinator's is 0. */
  group: number;
}

export type FaultKind = "killed" | "frozen";

export interface Nodes {
  workers: readonly Node[];
  coordinator: Node;
  /** Kills and restarts a node, or freezes and resumes its processes. Resolves when the node works. */
  strike(node: Node, blow: FaultKind, ms: number): Promise<void>;
}

export interface Cluster {
  url: string;
  engine: "postgresql" | "citus";
  nodes?: Nodes;
  /** Brings a struck node back and removes the database. */
  remove(): Promise<void> | void;
}

/** Starts a separate PostgreSQL. With TEST_CITUS_URL, creates a database distributed over the nodes there. */
export async function startCluster(): Promise<Cluster> {
  if (!citusUrl) return { ...(await startOwnCluster()), engine: "postgresql" };
  const url = await createCitusDatabase("torture");
  try {
    runDistribute(url, "--apply");
    const groups = await runSql(url, "select nodeport as port, groupid as number from pg_dist_node");
    const groupOf = (at: string) => Number(groups.find(({ port }) => String(port) === new URL(at).port)?.["number"]);
    const ending = new AbortController();
    let striking: Promise<void> | undefined;
    return {
      url,
      engine: "citus",
      nodes: {
        workers: citusWorkerUrls.map((worker) => ({ url: worker, group: groupOf(worker) })),
        coordinator: { url: citusUrl, group: 0 },
        strike: (node, blow, ms) => {
          striking = (blow === "killed" ? kill : freeze)(node.url, ms, ending.signal);
          return striking;
        },
      },
      async remove() {
        ending.abort();
        await striking?.catch(() => {});
        await dropCitusDatabase(url);
      },
    };
  } catch (error) {
    await dropCitusDatabase(url);
    throw error;
  }
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

async function kill(url: string, ms: number, ending: AbortSignal): Promise<void> {
  const [pid, pidFile] = [await findPostmaster(url), await findPidFile(url)];
  process.kill(pid, "SIGQUIT");
  await pause(ms, ending);
  const root = process.getuid?.() === 0;
  const asPostgres = root ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];
  const data = dirname(pidFile);
  // "restart" reuses the options of the last start, including the port. "start" would need the options.
  const command = [...asPostgres, `${findPostgresPrograms()}/pg_ctl`, "restart", "-D", data, "-w", "-l", `${data}.log`];
  // A coordinator looks for certificates in its home folder, and cannot read root's home folder.
  const env = { ...process.env, HOME: data };
  execFileSync(String(command[0]), command.slice(1), { stdio: "ignore", cwd: "/", env });
}

async function freeze(url: string, ms: number, ending: AbortSignal): Promise<void> {
  const postmaster = await findPostmaster(url);
  // The postmaster is frozen first, so that no new process starts and keeps running.
  process.kill(postmaster, "SIGSTOP");
  const all = [postmaster, ...childrenOf(postmaster)];
  const thaw = () => {
    for (const pid of all) signal(pid, "SIGCONT");
  };
  process.once("exit", thaw);
  try {
    for (const pid of all) signal(pid, "SIGSTOP");
    await pause(ms, ending);
  } finally {
    process.off("exit", thaw);
    thaw();
  }
}

/** The process may have ended already. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {}
}

const childrenOf = (parent: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);

/** The fourth field of a process's state, after the name in parentheses. */
function parentOf(pid: number): number | undefined {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(state.slice(state.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}
