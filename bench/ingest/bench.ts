import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { readCpuTime } from "../support/cpu.ts";
import { computeMedian } from "../support/figures.ts";
import { postAll } from "../support/post.ts";
import { findPostmaster } from "../support/postmaster.ts";
import {
  type Contestant,
  createUnredactedContestant,
  type Load,
  prepareDatabase,
  startCopyProcess,
  startOwnContestant,
  startUsualStack,
} from "./contestants.ts";
import { buildBatches } from "./rows.ts";
import { preparePlace, startVictim } from "./victim.ts";

const LOADS: readonly Load[] = [
  { name: "batches of 500, 0.6 KB", size: 500, bytes: 600, connections: 2, requests: 100 },
  { name: "batches of 500, 1.9 KB", size: 500, bytes: 1_900, connections: 2, requests: 50 },
  { name: "single posts, 32 connections", size: 1, bytes: 600, connections: 32, requests: 4_000 },
  { name: "single posts, 128 connections", size: 1, bytes: 600, connections: 128, requests: 6_000 },
];
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/**
 * The goals of the ingestion design: shares of the limit, and for single posts the factor by which the usual
 * stack costs more.
 */
const GOALS = { "batches of 500, 0.6 KB": 0.55, "batches of 500, 1.9 KB": 0.6, "single posts, 128 connections": 10 };

/** The cost of one run: CPU time in µs per event, and events per second. */
interface Cost {
  cpu: number;
  server: number;
  rate: number;
}

const NAMES = ["ours", "unredacted", "limit", "usual", "bare"] as const;
type Name = (typeof NAMES)[number];

/**
 * Compares ingestion with its limit, COPY of the same rows, and with the usual stack. One variant of the usual stack
 * does the same work; a bare variant only inserts. Another organization has redaction off. The contestants take turns
 * on a separate PostgreSQL cluster. CPU counts the server's process and all of PostgreSQL. Prints a table and one
 * line of JSON with the ratios.
 */
export async function benchIngest(): Promise<void> {
  const cluster = await startOwnCluster();
  const contestants = new Map<Name, Contestant>();
  try {
    await prepareDatabase(cluster.url);
    const postmaster = await findPostmaster(cluster.url);
    const ours = await startOwnContestant(cluster.url);
    contestants.set("ours", ours);
    contestants.set("unredacted", await createUnredactedContestant(cluster.url, ours));
    contestants.set("limit", await startCopyProcess(cluster.url));
    contestants.set("usual", await startUsualStack(cluster.url, "whole"));
    contestants.set("bare", await startUsualStack(cluster.url, "bare"));
    const rows = [];
    for (const load of LOADS) {
      const costs: Record<Name, Cost[]> = { ours: [], unredacted: [], limit: [], usual: [], bare: [] };
      for (let round = 0; round <= ROUNDS; round += 1) {
        for (const [name, contestant] of contestants) {
          const cost = await measure(contestant, load, postmaster);
          if (round > 0) costs[name].push(cost); // The first round warms up.
        }
      }
      rows.push(summary(load, costs));
    }
    const embedded = await embeddedRate();
    console.table(rows);
    console.log(`embedded engine, batches of 500, 0.6 KB: ${embedded} events/s`);
    console.log(JSON.stringify({ bench: "ingest", rounds: ROUNDS, goals: GOALS, rows, embedded }));
  } finally {
    for (const contestant of contestants.values()) contestant.stop();
    cluster.remove();
  }
}

async function measure(contestant: Contestant, whole: Load, postmaster: number): Promise<Cost> {
  const load = { ...whole, requests: Math.ceil(whole.requests * contestant.share) };
  // While other contestants ran, the caches went cold and the heap shrank. A fifth of the load runs unmeasured first.
  await (await contestant.prepare({ ...load, requests: Math.ceil(load.requests / 5) }))();
  const run = await contestant.prepare(load);
  const before = [readCpuTime(contestant.pid), readCpuTime(postmaster)];
  const seconds = await run();
  const server = readCpuTime(contestant.pid) - (before[0] ?? 0);
  const database = readCpuTime(postmaster) - (before[1] ?? 0);
  const events = load.requests * load.size;
  return { cpu: (server + database) / events, server: server / events, rate: events / seconds };
}

/** Events per second on the embedded engine, the median of the rounds. */
async function embeddedRate(): Promise<number> {
  const place = await preparePlace({ url: undefined, dataDir: mkdtempSync(join(tmpdir(), "trackway-bench-")) });
  const victim = await startVictim(place);
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bodies = buildBatches(20, 500, 600);
    const seconds = await postAll(`${place.url}/api/v1/capture-events`, bodies, 2, { "x-api-key": place.key });
    if (round > 0) rates.push((bodies.length * 500) / seconds);
  }
  await victim.server.stop();
  rmSync(place.open.dataDir, { recursive: true });
  return Math.round(computeMedian(rates));
}

function summary({ name }: Load, costs: Record<Name, Cost[]>) {
  const round = (value: number) => Number(value.toPrecision(3));
  const cpu = (who: Name) => round(computeMedian(costs[who].map((cost) => cost.cpu)));
  /** The median of the ratios per round. The runs of one round meet the same conditions of the machine. */
  const ratio = (who: Name) =>
    round(computeMedian(costs.ours.map((ours, n) => (costs[who][n]?.cpu ?? Number.NaN) / ours.cpu)));
  /** The ratio of the minimum CPU of each contestant. Other load on the machine can only add CPU. */
  const least = (who: Name) => Math.min(...costs[who].map((cost) => cost.cpu));
  const best = (who: Name) => round(least(who) / least("ours"));
  return {
    load: name,
    "µs/event": cpu("ours"),
    "of it server": round(computeMedian(costs.ours.map(({ server }) => server))),
    "redaction costs": `${round(100 / ratio("unredacted") - 100)} %`,
    "limit µs": cpu("limit"),
    "usual µs": cpu("usual"),
    "bare µs": cpu("bare"),
    "share of limit": ratio("limit"),
    "at best": best("limit"),
    "cheaper than usual": ratio("usual"),
    "than its insert": ratio("bare"),
    "events/s": Math.round(computeMedian(costs.ours.map(({ rate }) => rate))),
    "usual events/s": Math.round(computeMedian(costs.usual.map(({ rate }) => rate))),
  };
}
