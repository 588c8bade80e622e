import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readErrorCode } from "../../formats/causes.ts";
import { type PostgresCluster, startOwnCluster } from "../../test/support/db/postgres.ts";
import { type Crowd, type Ledger, newLedger, startClients } from "./clients.ts";
import { judgePart, type TorturePart } from "./kills.ts";
import { startProxy } from "./proxy.ts";
import { preparePlace, startVictim, type TorturePlace, type VictimServer, verify } from "./victim.ts";

const CLIENTS = { count: 32, rows: 20 };
/** Bodies of up to half a megabyte, together more than all memory reserved for bodies. */
const OVERRUN = { count: 400, rows: 500 };
const MAX_MB = 300;
/** Maximum time from the return of the database to the first success, in ms. */
const MAX_RETURN_MS = 1_000;
/** Maximum time until a refusal, in ms, whatever the state of the database. */
const MAX_ANSWER_MS = 20_000;

interface Trouble {
  name: string;
  clients?: Crowd;
  /**
   * Causes the trouble on a server under load. Resolves to the end of the trouble by `performance.now()`; undefined
   * when no recovery time is measured.
   */
  make(stage: Stage): Promise<number | undefined>;
}

interface Stage {
  cluster: PostgresCluster;
  place: TorturePlace;
  victim: VictimServer;
  ledger: Ledger;
  proxy: Awaited<ReturnType<typeof startProxy>>;
}

/**
 * Runs the troubles that match `wanted`: a slow, silent, stopped and returning database; an overloaded server, and a
 * server stopped under load.
 */
export async function runTroubles(seconds: number, wanted = /./): Promise<TorturePart[]> {
  const ms = seconds * 1_000;
  const all: Trouble[] = [
    {
      name: "slow database",
      async make({ proxy }) {
        proxy.delay(150);
        await sleep(ms);
        proxy.delay(0);
        return performance.now();
      },
    },
    {
      name: "blackholed database",
      async make({ proxy }) {
        proxy.blackhole(true);
        await sleep(ms + 12_000);
        proxy.blackhole(false);
        return performance.now();
      },
    },
    {
      name: "database down and back",
      async make({ cluster }) {
        cluster.crash();
        await sleep(ms);
        cluster.start();
        return performance.now();
      },
    },
    {
      name: "overload from 400 clients",
      clients: OVERRUN,
      async make() {
        await sleep(ms);
        return undefined;
      },
    },
    {
      name: "SIGTERM under load",
      async make({ victim }) {
        await sleep(ms / 2);
        const code = await victim.server.stop("SIGTERM");
        if (code !== 0) throw new Error(`the server ended with ${code}`);
        return undefined;
      },
    },
  ];
  const parts: TorturePart[] = [];
  for (const trouble of all.filter(({ name }) => wanted.test(name)))
    parts.push(await staged(trouble, await startOwnCluster()));
  return parts;
}

/** Fills the database's disk for a while. Needs permission to mount a small file system. */
export async function fillDisk(seconds: number): Promise<TorturePart> {
  const directory = mkdtempSync(join(tmpdir(), "trackway-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=400m", "tmpfs", directory]);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = directory;
  const cluster = await startOwnCluster().finally(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  const filler = join(directory, "filler");
  try {
    return await staged(
      {
        name: "full disk",
        async make() {
          const { bavail, bsize } = statfsSync(directory);
          try {
            writeFileSync(filler, Buffer.alloc(bavail * bsize));
          } catch (error) {
            // PostgreSQL took some of the space in the meantime, so the disk is full before the file is complete.
            if (readErrorCode(error) !== "ENOSPC") throw error;
          }
          await sleep(seconds * 1_000);
          rmSync(filler);
          startIfDown(cluster);
          return performance.now();
        },
      },
      cluster,
    );
  } finally {
    rmSync(filler, { force: true });
    execFileSync("umount", ["-l", directory]);
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * PostgreSQL exits when its WAL cannot be written, and then restarts. After PostgreSQL gave up, an operator's
 * start is simulated.
 */
function startIfDown(cluster: PostgresCluster): void {
  try {
    cluster.start();
  } catch {
    // PostgreSQL is running.
  }
}

async function staged(trouble: Trouble, cluster: PostgresCluster): Promise<TorturePart> {
  const proxy = await startProxy(cluster.url);
  try {
    const place = await preparePlace({ url: cluster.url, dataDir: tmpdir() }, proxy.url);
    const ledger = newLedger();
    const victim = await startVictim(place);
    const clients = startClients(place, trouble.clients ?? CLIENTS, ledger);
    await sleep(1_000);
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, victim.server.child.exitCode === null ? victim.peakMB() : 0);
    }, 200);
    const over = await trouble.make({ cluster, place, victim, ledger, proxy });
    const back = over === undefined ? 0 : await firstSuccess(ledger, over);
    clearInterval(watch);
    await clients.stop();
    const signalled = victim.server.child.exitCode !== null;
    if (!signalled) await victim.server.stop();
    const wrong = complaints(ledger, { peak, back, mayBreak: signalled });
    const remark = `peak ${peak} MB, ${ledger.refused} refused, slowest ${Math.round(ledger.slowestMs)} ms${over === undefined ? "" : `, back in ${back} ms`}`;
    return judgePart(trouble.name, 1, await verify(place, ledger), wrong, remark);
  } finally {
    proxy.close();
    cluster.remove();
  }
}

async function firstSuccess(ledger: Ledger, since: number): Promise<number> {
  while (ledger.lastSuccess <= since && performance.now() - since < 10_000) await sleep(5);
  return Math.round(Math.max(ledger.lastSuccess, performance.now()) - since);
}

function complaints(
  ledger: Ledger,
  { peak, back, mayBreak }: { peak: number; back: number; mayBreak: boolean },
): string[] {
  const wrong = [...ledger.wrong];
  if (peak > MAX_MB) wrong.push(`${peak} MB resident`);
  if (back > MAX_RETURN_MS) wrong.push(`first success ${back} ms after the return`);
  if (ledger.slowestMs > MAX_ANSWER_MS) wrong.push(`an answer took ${Math.round(ledger.slowestMs)} ms`);
  if (ledger.broken > 0 && !mayBreak) wrong.push(`${ledger.broken} broken connections`);
  return wrong;
}
