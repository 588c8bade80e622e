import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownCluster } from "../../test/support/db/postgres.ts";
import { cpuOf } from "../support/cpu.ts";
import { middle } from "../support/figures.ts";
import { postAll } from "../support/post.ts";
import { postmasterOf } from "../support/postmaster.ts";
import {
  type Contestant,
  copier,
  type Load,
  ourServer,
  prepareDatabase,
  usualServer,
  withoutRedaction,
} from "./contestants.ts";
import { batches } from "./rows.ts";
import { preparePlace, startVictim } from "./victim.ts";

const LOADS: readonly Load[] = [
  { name: "batches of 500, 0.6 KB", size: 500, bytes: 600, connections: 2, requests: 100 },
  { name: "batches of 500, 1.9 KB", size: 500, bytes: 1_900, connections: 2, requests: 50 },
  { name: "single posts, 32 connections", size: 1, bytes: 600, connections: 32, requests: 4_000 },
  { name: "single posts, 128 connections", size: 1, bytes: 600, connections: 128, requests: 6_000 },
];
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** The goals of the ingestion design: shares of the limit, and how often cheaper than the usual stack. */
const GOALS = { "batches of 500, 0.6 KB": 0.55, "batches of 500, 1.9 KB": 0.6, "single posts, 128 connections": 10 };

/** CPU time, µs an event, and events a second of one run. */
interface Cost {
  cpu: number;
  server: number;
  rate: number;
}

const NAMES = ["ours", "unredacted", "limit", "usual", "bare"] as const;
type Name = (typeof NAMES)[number];

/**
 * Measures ingestion beside its limit, COPY of the same rows, and beside the usual stack. The latter does the same work
 * once, and once nothing but its insert. Another organization has redaction off. They take turns on a PostgreSQL cluster of its own. CPU counts the server's process and
 * all of PostgreSQL. Prints a table and one line of JSON with the ratios.
 */
export async function benchIngest(): Promise<void> {
  const cluster = await ownCluster();
  const contestants = new Map<Name, Contestant>();
  try {
    await prepareDatabase(cluster.url);
    const postmaster = await postmasterOf(cluster.url);
    const ours = await ourServer(cluster.url);
    contestants.set("ours", ours);
    contestants.set("unredacted", await withoutRedaction(cluster.url, ours));
    contestants.set("limit", await copier(cluster.url));
    contestants.set("usual", await usualServer(cluster.url, "whole"));
    contestants.set("bare", await usualServer(cluster.url, "bare"));
    const rows = [];
    for (const load of LOADS) {
      const costs: Record<Name, Cost[]> = { ours: [], unredacted: [], limit: [], usual: [], bare: [] };
      for (let round = 0; round <= ROUNDS; round += 1) {
        for (const [name, contestant] of contestants) {
          const cost = await measure(contestant, load, postmaster);
          if (round > 0) costs[name].push(cost); // The first warms up.
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
  // While the others ran, its caches went cold and its heap shrank: a fifth of the load goes before, unmeasured.
  await (await contestant.prepare({ ...load, requests: Math.ceil(load.requests / 5) }))();
  const run = await contestant.prepare(load);
  const before = [cpuOf(contestant.pid), cpuOf(postmaster)];
  const seconds = await run();
  const server = cpuOf(contestant.pid) - (before[0] ?? 0);
  const database = cpuOf(postmaster) - (before[1] ?? 0);
  const events = load.requests * load.size;
  return { cpu: (server + database) / events, server: server / events, rate: events / seconds };
}

/** Events a second on the embedded engine, the middle of the rounds. */
async function embeddedRate(): Promise<number> {
  const place = await preparePlace({ url: undefined, dataDir: mkdtempSync(join(tmpdir(), "trackway-bench-")) });
  const victim = await startVictim(place);
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bodies = batches(20, 500, 600);
    const seconds = await postAll(`${place.url}/api/v1/capture-events`, bodies, 2, { "x-api-key": place.key });
    if (round > 0) rates.push((bodies.length * 500) / seconds);
  }
  await victim.server.stop();
  rmSync(place.open.dataDir, { recursive: true });
  return Math.round(middle(rates));
}

function summary({ name }: Load, costs: Record<Name, Cost[]>) {
  const round = (value: number) => Number(value.toPrecision(3));
  const cpu = (who: Name) => round(middle(costs[who].map((cost) => cost.cpu)));
  /** The middle of the ratios of each round, whose runs met the same machine. */
  const ratio = (who: Name) =>
    round(middle(costs.ours.map((ours, n) => (costs[who][n]?.cpu ?? Number.NaN) / ours.cpu)));
  /** The ratio of the least CPU each needed: what else runs on the machine only ever adds. */
  const least = (who: Name) => Math.min(...costs[who].map((cost) => cost.cpu));
  const best = (who: Name) => round(least(who) / least("ours"));
  return {
    load: name,
    "µs/event": cpu("ours"),
    "of it server": round(middle(costs.ours.map(({ server }) => server))),
    "redaction costs": `${round(100 / ratio("unredacted") - 100)} %`,
    "limit µs": cpu("limit"),
    "usual µs": cpu("usual"),
    "bare µs": cpu("bare"),
    "share of limit": ratio("limit"),
    "at best": best("limit"),
    "cheaper than usual": ratio("usual"),
    "than its insert": ratio("bare"),
    "events/s": Math.round(middle(costs.ours.map(({ rate }) => rate))),
    "usual events/s": Math.round(middle(costs.usual.map(({ rate }) => rate))),
  };
}
