import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "../../test/support/db/postgres.ts";
import { freshOrganization } from "../../test/support/server.ts";
import { makeTeam } from "../../test/support/tracker/stream-writes.ts";
import { SECRET } from "../support/secret.ts";
import { type Follower, followQuery, followRealtime } from "../webhooks/followers.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { FAULTS, type Fault, HOLDER_FROZEN, workerDown } from "./faults.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { type Finding, judge } from "./judge.ts";
import { sharedLimits } from "./limits.ts";
import { startProxy } from "./proxy.ts";
import { type Ledger, newLedger, startWriters } from "./writers.ts";

const SECONDS = Number(process.env["TORTURE_SECONDS"] ?? 300);
/** Without the database's own time-outs the torture must fail: `TORTURE_CONTROL=on` shows that it can. */
const CONTROL = process.env["TORTURE_CONTROL"] === "on";
const [SERVERS, ORGANIZATIONS, WRITERS] = [3, 4, 4];
/** GraphQL requests an hour for each organization: more than the torture makes. */
const LIMIT = 100_000;
const APART_MS = 15_000;
const CATCH_UP_MS = 60_000;

/**
 * Freezes, kills, restarts and cuts off three servers at random while clients write to several organizations. A proxy hands
 * connections to the servers in turn. They stand on one PostgreSQL, or on the Citus of TEST_CITUS_URL; there a worker of the
 * database dies too. Nothing acknowledged may be lost. The log of changes may have no gap, and whoever follows it must have
 * exactly it. No organization may be without a write for more than 12 s. Limits hold for all servers together. Prints a
 * table and a line of JSON.
 */
export async function tortureServers(): Promise<boolean> {
  const cluster = await startCluster();
  if (CONTROL) await dropIdleBound(cluster.url);
  const fleet = await startFleet(SERVERS, {
    DATABASE_URL: cluster.url,
    JWT_SECRET: SECRET,
    INGEST_RATE_REQUESTS: "off",
    INGEST_RATE_EVENTS: "off",
    GRAPHQL_REQUESTS_PER_HOUR: String(LIMIT),
    GRAPHQL_COMPLEXITY_PER_HOUR: "off",
  });
  const proxy = await startProxy(fleet.urls);
  try {
    const ledgers = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => organization(fleet)));
    const followers = ledgers.map((ledger, at) => follow(proxy.url, ledger, at));
    const begun = performance.now();
    const stops = ledgers.map((ledger) => startWriters(ledger, [proxy.url], WRITERS));
    const faults = await strikeFor(SECONDS * 1_000, fleet, cluster);
    await sleep(2_000);
    await Promise.all(stops.map((stop) => stop()));
    const ended = performance.now();
    const findings = await judge({ url: cluster.url, ledgers, followers, begun, ended, patience: CATCH_UP_MS });
    for (const one of followers.flat()) one.stop();
    const limits = await sharedLimits(fleet.urls);
    const crashes = { what: "servers that ended by themselves", figure: fleet.crashes(), held: fleet.crashes() === 0 };
    return report([...findings, ...limits, crashes], faults, cluster.engine);
  } finally {
    proxy.close();
    await fleet.stop();
    cluster.remove();
  }
}

async function organization({ urls }: Fleet): Promise<Ledger> {
  const tenant = await freshOrganization({ url: urls[0] });
  return newLedger(tenant, await makeTeam(tenant));
}

const follow = (url: string, { tenant }: Ledger, at: number): Follower[] => [
  followRealtime(`realtime ${at + 1}`, url, tenant.apiKey),
  followQuery([url], tenant.apiKey),
];

/**
 * Strikes until the time is over, at random among what came least often so far, so that each fault comes; answers how
 * often each did, and says so as it goes: a run takes minutes.
 */
async function strikeFor(ms: number, fleet: Fleet, { strikeWorker }: Cluster): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const all = CONTROL ? [HOLDER_FROZEN] : [...FAULTS, ...(strikeWorker ? [workerDown(strikeWorker)] : [])];
  const begun = performance.now();
  let held = Number.NEGATIVE_INFINITY;
  while (performance.now() < begun + ms) {
    const mayHold = CONTROL || performance.now() - held >= APART_MS;
    const fault = rarest(
      all.filter(({ holds }) => mayHold || !holds),
      counts,
    );
    if (fault.holds) held = performance.now();
    counts[fault.name] = (counts[fault.name] ?? 0) + 1;
    console.error(`${Math.round((performance.now() - begun) / 1_000)} of ${SECONDS} s: ${fault.name}`);
    await fault.strike(fleet, Math.floor(Math.random() * SERVERS));
    await sleep(1_000 + Math.random() * 3_000);
  }
  return counts;
}

/** One of those that came least often. */
function rarest(faults: readonly Fault[], counts: Record<string, number>): Fault {
  const least = Math.min(...faults.map(({ name }) => counts[name] ?? 0));
  const among = faults.filter(({ name }) => (counts[name] ?? 0) === least);
  const fault = among[Math.floor(Math.random() * among.length)];
  if (!fault) throw new Error("there is no fault to strike with");
  return fault;
}

/** Hides `set_config` behind one of the same name that leaves idle transactions without a bound. */
async function dropIdleBound(url: string): Promise<void> {
  await runSql(
    url,
    `create function public.set_config(name text, value text, local boolean) returns text language sql as
      $$ select pg_catalog.set_config(name, case when name like 'idle%' then '0' else value end, local) $$;
     alter role current_user set search_path = public, pg_catalog`,
  );
}

function report(rows: Finding[], faults: Record<string, number>, engine: string): boolean {
  console.table(rows);
  const held = rows.every((row) => row.held);
  console.log(
    JSON.stringify({
      torture: "servers",
      engine,
      seconds: SECONDS,
      servers: SERVERS,
      control: CONTROL,
      held,
      faults,
      rows,
    }),
  );
  return held;
}
