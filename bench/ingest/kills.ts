import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, ownCluster, runSql } from "../../test/support/db/postgres.ts";
import { pidFileOf } from "../support/postmaster.ts";
import { newLedger, startClients } from "./clients.ts";
import { type Findings, type Place, preparePlace, startVictim, verify } from "./victim.ts";

/** One part of the torture: what was done, what was found, and whether that is as it must be. */
export interface Part extends Findings {
  part: string;
  rounds: number;
  held: boolean;
  remark: string;
}

const CLIENTS = { count: 16, rows: 20 };

/** The server is killed at random, again and again, while clients post. */
export async function killServers(kills: number, engine: "embedded" | "postgresql"): Promise<Part> {
  const cluster = engine === "postgresql" ? await ownCluster() : undefined;
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
    return judged(`server killed, ${engine}`, kills, await verify(place, ledger), ledger.wrong);
  } finally {
    cluster?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** PostgreSQL is killed, every process of it, while clients post; the server lives on. */
export async function killPostgres(kills: number): Promise<Part> {
  const cluster = await ownCluster();
  try {
    const place = await preparePlace({ url: cluster.url, dataDir: tmpdir() });
    return await underKills("PostgreSQL killed", kills, cluster, place);
  } finally {
    cluster.remove();
  }
}

/**
 * The same without waiting for the disk: rows must get lost, or the torture cannot see a loss. A slow WAL writer makes
 * sure that there is something to lose.
 */
export async function negativeControl(kills: number): Promise<Part> {
  const cluster = await ownCluster();
  try {
    await runSql(cluster.url, "alter system set synchronous_commit = off");
    await runSql(cluster.url, "alter system set wal_writer_delay = '10s'");
    await runSql(cluster.url, "alter system set wal_writer_flush_after = '1GB'");
    await runSql(cluster.url, "select pg_reload_conf()");
    const place = await preparePlace({ url: cluster.url, dataDir: tmpdir() });
    const part = await underKills("control: synchronous_commit off", kills, cluster, place);
    return { ...part, held: part.missing > 0, remark: "must lose rows" };
  } finally {
    cluster.remove();
  }
}

async function underKills(name: string, kills: number, cluster: Cluster, place: Place): Promise<Part> {
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
  return judged(name, kills, await verify(place, ledger), wrong);
}

/** SIGKILL for the postmaster and all its children at once, so that nothing is written on the way out. */
async function killCluster({ url }: Cluster): Promise<void> {
  const file = await pidFileOf(url);
  const postmaster = Number.parseInt(readFileSync(file, "utf8"), 10);
  process.kill(postmaster, "SIGSTOP"); // It must neither notice the death of a child nor bear another.
  const all = [...childrenOf(postmaster), postmaster];
  for (const pid of all) signal(pid);
  for (let waited = 0; waited < 3_000 && all.some((pid) => existsSync(`/proc/${pid}`)); waited += 5) await sleep(5);
  // The next postmaster takes a dead one for alive when nobody reaps it.
  rmSync(file, { force: true });
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
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

/** A part is held when nothing accepted is missing, changed, doubled or miscounted, something was accepted, and no answer was wrong. */
export function judged(part: string, rounds: number, found: Findings, wrong: readonly string[], remark = ""): Part {
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

/** True when this machine lets us mount a small file system. */
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
