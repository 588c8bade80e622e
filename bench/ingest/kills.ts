import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type PostgresCluster, runSql, startOwnCluster } from "../../test/support/db/postgres.ts";
import { findPidFile } from "../support/postmaster.ts";
import { newLedger, startClients } from "./clients.ts";
import { type Findings, preparePlace, startVictim, type TorturePlace, verify } from "./victim.ts";

/** One part of the torture: the fault, the findings, and whether the durability rules held. */
export interface TorturePart extends Findings {
  part: string;
  rounds: number;
  held: boolean;
  remark: string;
}

const CLIENTS = { count: 16, rows: 20 };

/** Kills the server at random times while clients post. */
export async function killServers(kills: number, engine: "embedded" | "postgresql"): Promise<TorturePart> {
  const cluster = engine === "postgresql" ? await startOwnCluster() : undefined;
  const dataDir = mkdtempSync(join(tmpdir(), "trackway-torture-"));
  try {
    const place = await preparePlace({ url: cluster?.url, dataDir });
    const ledger = newLedger();
    const clients = startClients(place, CLIENTS, ledger);
    for (let kill = 0; kill < kills; kill += 1) {
      const victim = await startVictim(place);
      await sleep(300 + Math.random() * 900);
      await victim.kill();
    }
    await clients.stop();
    return judgePart(`server killed, ${engine}`, kills, await verify(place, ledger), ledger.wrong);
  } finally {
    cluster?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Kills every process of PostgreSQL while clients post. The server stays alive. */
export async function killPostgres(kills: number): Promise<TorturePart> {
  const cluster = await startOwnCluster();
  try {
    const place = await preparePlace({ url: cluster.url, dataDir: tmpdir() });
    return await underKills("PostgreSQL killed", kills, cluster, place);
  } finally {
    cluster.remove();
  }
}

/**
 * Tries of the negative control. A kill that falls into the moment after a
 * checkpoint or a pause of the clients loses nothing.
 */
const CONTROL_TRIES = 5;

/**
 * Repeats the kills with asynchronous commits until rows get lost: otherwise the torture could not detect a loss. A
 * slow WAL writer ensures that unwritten rows exist.
 */
export async function runNegativeControl(kills: number): Promise<TorturePart> {
  for (let tries = 1; ; tries += 1) {
    const part = await killWithoutWaiting(kills);
    if (part.missing > 0 || tries === CONTROL_TRIES)
      return { ...part, held: part.missing > 0, remark: `must lose rows, ${tries} tries` };
  }
}

async function killWithoutWaiting(kills: number): Promise<TorturePart> {
  const cluster = await startOwnCluster();
  try {
    await runSql(cluster.url, "alter system set synchronous_commit = off");
    await runSql(cluster.url, "alter system set wal_writer_delay = '10s'");
    await runSql(cluster.url, "alter system set wal_writer_flush_after = '1GB'");
    await runSql(cluster.url, "select pg_reload_conf()");
    const place = await preparePlace({ url: cluster.url, dataDir: tmpdir() });
    return await underKills("control: synchronous_commit off", kills, cluster, place);
  } finally {
    cluster.remove();
  }
}

async function underKills(
  name: string,
  kills: number,
  cluster: PostgresCluster,
  place: TorturePlace,
): Promise<TorturePart> {
  const ledger = newLedger();
  const victim = await startVictim(place);
  const clients = startClients(place, CLIENTS, ledger);
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(500 + Math.random() * 1_000);
    await killCluster(cluster);
    await sleep(Math.random() * 300);
    cluster.start();
  }
  await sleep(500);
  await clients.stop();
  await victim.server.stop();
  const wrong = ledger.broken > 0 ? [...ledger.wrong, `${ledger.broken} broken connections`] : ledger.wrong;
  return judgePart(name, kills, await verify(place, ledger), wrong);
}

/**
 * Sends SIGKILL to the postmaster and all of its children at once, so that PostgreSQL writes nothing before the end.
 */
async function killCluster({ url }: PostgresCluster): Promise<void> {
  const file = await findPidFile(url);
  const postmaster = Number.parseInt(readFileSync(file, "utf8"), 10);
  process.kill(postmaster, "SIGSTOP"); // The stopped postmaster can neither notice a child's death nor start a new child.
  const all = [...childrenOf(postmaster), postmaster];
  for (const pid of all) signal(pid);
  for (let waited = 0; waited < 3_000 && all.some((pid) => existsSync(`/proc/${pid}`)); waited += 5) await sleep(5);
  // A zombie postmaster looks alive to the next postmaster, so the PID file must be removed.
  rmSync(file, { force: true });
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

const childrenOf = (pid: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${child}/status`, "utf8"))?.[1]) === pid;
      } catch {
        return false;
      }
    });

/**
 * A part holds when no accepted row is missing, changed, doubled or miscounted, at least one row was accepted, and no
 * response was wrong.
 */
export function judgePart(
  part: string,
  rounds: number,
  found: Findings,
  wrong: readonly string[],
  remark = "",
): TorturePart {
  const { accepted, missing, changed, doubled, miscounted } = found;
  const held = accepted > 0 && missing + changed + doubled + miscounted === 0 && wrong.length === 0;
  return {
    part,
    rounds,
    ...found,
    held,
    remark: wrong.length > 0 ? `${wrong.length} wrong, e.g. ${wrong[0]}` : remark,
  };
}

export function canMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "trackway-mount-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", directory], { stdio: "ignore" });
    execFileSync("umount", [directory], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
