import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { uuidv7 } from "uuidv7";
import { mintIngestKey } from "../../server/auth/key.ts";
import { ownCluster } from "../../test/support/postgres.ts";
import { LISTENING, spawnServer } from "../../test/support/process.ts";
import { cpuOf } from "../support/cpu.ts";
import { postAll } from "../support/post.ts";
import { batches, singles } from "./rows.ts";
import { preparePlace, startVictim } from "./victim.ts";

/** One load, and how much of it a round takes. */
interface Load {
  name: string;
  /** Events in a request: 500 in a batch, or 1. */
  size: number;
  bytes: number;
  connections: number;
  requests: number;
}

const LOADS: readonly Load[] = [
  { name: "batches of 500, 0.6 KB", size: 500, bytes: 600, connections: 2, requests: 100 },
  { name: "batches of 500, 1.9 KB", size: 500, bytes: 1_900, connections: 2, requests: 50 },
  { name: "single posts, 32 connections", size: 1, bytes: 600, connections: 32, requests: 4_000 },
  { name: "single posts, 128 connections", size: 1, bytes: 600, connections: 128, requests: 6_000 },
];
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
/** The goals of the ingestion design: shares of the limit, and how often cheaper than the usual stack. */
const GOALS = { "batches of 500, 0.6 KB": 0.55, "batches of 500, 1.9 KB": 0.6, "single posts, 128 connections": 10 };

/** Someone who stores events: takes the load, and says which process's CPU counts besides PostgreSQL's. */
interface Contestant {
  pid: number;
  /** How much of a load it gets: the slow ones less, to be done in the same time. */
  share: number;
  /** Makes the load ready; the result runs it and answers seconds. */
  prepare(load: Load): Promise<() => Promise<number>>;
  stop(): void;
}

/** CPU time, µs an event, and events a second of one run. */
interface Cost {
  cpu: number;
  server: number;
  rate: number;
}

const NAMES = ["ours", "limit", "usual", "bare"] as const;
type Name = (typeof NAMES)[number];

/**
 * Measures ingestion beside its limit, COPY of the same rows, and beside the usual stack, once doing the same work and
 * once nothing but its insert; interleaved, on a PostgreSQL cluster of its own. CPU counts the server's process and
 * all of PostgreSQL. Prints a table and one line of JSON with the ratios.
 */
export async function benchIngest(): Promise<void> {
  const cluster = await ownCluster();
  const contestants = new Map<Name, Contestant>();
  try {
    const postmaster = await preparedDatabase(cluster.url);
    contestants.set("ours", await ourServer(cluster.url));
    contestants.set("limit", await copier(cluster.url));
    contestants.set("usual", await usualServer(cluster.url, "whole"));
    contestants.set("bare", await usualServer(cluster.url, "bare"));
    const rows = [];
    for (const load of LOADS) {
      const costs: Record<Name, Cost[]> = { ours: [], limit: [], usual: [], bare: [] };
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

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

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

/** Makes the tables of the others like ours and answers the postmaster's process id. */
async function preparedDatabase(url: string): Promise<number> {
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET });
  await server.printed(LISTENING);
  await server.stop();
  const client = new pg.Client(url);
  await client.connect();
  for (const table of ["usual_event", "bare_event", "limit_event"]) {
    await client.query(`create table ${table} (like recorded_event including all)`);
  }
  await client.query("create table usual_session (like recorded_session including all)");
  const { rows } = await client.query("select current_setting('data_directory') as directory");
  await client.end();
  return Number.parseInt(readFileSync(join(rows[0].directory, "postmaster.pid"), "utf8"), 10);
}

const SECRET = "a secret of the benches, long enough to be one";

async function ourServer(url: string): Promise<Contestant> {
  const off = { INGEST_RATE_REQUESTS: "off", INGEST_RATE_EVENTS: "off", LOG_LEVEL: "info" };
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET, ...off });
  const [, base = ""] = await server.printed(LISTENING);
  const key = await insertedKey(url);
  const prepare = poster(base, { "x-api-key": key });
  return { pid: Number(server.child.pid), share: 1, prepare, stop: () => void server.stop() };
}

async function insertedKey(url: string): Promise<string> {
  const { key, hash, last4 } = mintIngestKey();
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `insert into "ingestKey" (hash, id, "organizationId", name, prefix, last4, "createdAt")
     values ($1, $2, $3, 'bench', 'sk_', $4, now())`,
    [hash, uuidv7(), uuidv7(), last4],
  );
  await client.end();
  return key;
}

async function usualServer(url: string, work: "whole" | "bare"): Promise<Contestant> {
  const child = forked("usual.ts", url, { USUAL: work });
  const [{ url: base }] = (await once(child, "message")) as [{ url: string }];
  const headers = { "x-api-key": await insertedKey(url) };
  return { pid: Number(child.pid), share: 0.3, prepare: poster(base, headers), stop: () => child.kill() };
}

const poster =
  (base: string, headers: Record<string, string>): Contestant["prepare"] =>
  async ({ size, bytes, requests, connections }) => {
    const bodies = size === 1 ? singles(requests, bytes) : batches(requests, size, bytes);
    const path = size === 1 ? "capture-event" : "capture-events";
    return () => postAll(`${base}/api/v1/${path}`, bodies, connections, headers);
  };

async function copier(url: string): Promise<Contestant> {
  const child = forked("limit.ts", url);
  await once(child, "message");
  const ask = (order: object) => {
    child.send(order);
    return once(child, "message");
  };
  return {
    pid: Number(child.pid),
    share: 1,
    async prepare({ size, bytes, requests }) {
      // Single posts are measured against COPY in batches of 500 too: it is the limit of what a row can cost.
      await ask({ prepare: Math.max(1, Math.round((requests * size) / 500)), size: 500, bytes });
      return async () => {
        const begun = performance.now();
        await ask({});
        return (performance.now() - begun) / 1000;
      };
    },
    stop: () => child.kill(),
  };
}

const forked = (file: string, url: string, env: Record<string, string> = {}): ChildProcess =>
  fork(join(import.meta.dirname, file), {
    env: { ...process.env, DATABASE_URL: url, ...env },
    execArgv: ["--import", "tsx/esm"],
  });
