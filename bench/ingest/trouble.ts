import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cluster, ownCluster } from "../../test/support/db/postgres.ts";
import { type Crowd, type Ledger, newLedger, startClients } from "./clients.ts";
import { judged, type Part } from "./kills.ts";
import { startProxy } from "./proxy.ts";
import { type Place, preparePlace, startVictim, type Victim, verify } from "./victim.ts";

const CLIENTS = { count: 32, rows: 20 };
/** Bodies of up to half a megabyte each: more than all memory set aside for them. */
const OVERRUN = { count: 400, rows: 500 };
const MAX_MB = 300;
/** Within this the first success must follow the return of the database. */
const MAX_RETURN_MS = 1_000;
/** Within this a refusal must come, whatever the database does. */
const MAX_ANSWER_MS = 20_000;

interface Trouble {
  name: string;
  clients?: Crowd;
  /** Begins with a server under load; answers when the trouble was over, by `performance.now()`, if there was one. */
  make(stage: Stage): Promise<number | undefined>;
}

interface Stage {
  cluster: Cluster;
  place: Place;
  victim: Victim;
  ledger: Ledger;
  proxy: Awaited<ReturnType<typeof startProxy>>;
}

/** The database is slow, blackholed, down and back; the server is overrun, and stopped under load: those `wanted`. */
export async function troubles(seconds: number, wanted = /./): Promise<Part[]> {
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
  const parts: Part[] = [];
  for (const trouble of all.filter(({ name }) => wanted.test(name)))
    parts.push(await staged(trouble, await ownCluster()));
  return parts;
}

/** The disk of the database is full for a while. Needs to mount a small file system. */
export async function fullDisk(seconds: number): Promise<Part> {
  const directory = mkdtempSync(join(tmpdir(), "trackway-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=400m", "tmpfs", directory]);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = directory;
  const cluster = await ownCluster().finally(() => {
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
          writeFileSync(filler, Buffer.alloc(bavail * bsize));
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

/** PostgreSQL ends itself when it cannot write its log, and starts again; when it gave up, it is started as one would. */
function startIfDown(cluster: Cluster): void {
  try {
    cluster.start();
  } catch {
    // It runs.
  }
}

async function staged(trouble: Trouble, cluster: Cluster): Promise<Part> {
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
    return judged(trouble.name, 1, await verify(place, ledger), wrong, remark);
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
