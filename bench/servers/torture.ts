import { setTimeout as sleep } from "node:timers/promises";
import { retryWhileBusy } from "../../test/support/db/busy.ts";
import { citusUrl, readNode } from "../../test/support/db/citus.ts";
import { runSql } from "../../test/support/db/postgres.ts";
import { createOrganization } from "../../test/support/server.ts";
import { createTeam } from "../../test/support/tracker/stream-writes.ts";
import { rejectOnInterrupt } from "../support/interrupted.ts";
import { SECRET } from "../support/secret.ts";
import { type Follower, followQuery, followRealtime } from "../webhooks/followers.ts";
import { type Absence, buildResponseTable, judgeOthers } from "./absences.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { FAULTS, type Fault, HOLDER_FROZEN, nodeFaults } from "./faults.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { type Finding, judgeWrites } from "./judge.ts";
import { checkSharedLimits } from "./limits.ts";
import { startProxy } from "./proxy.ts";
import { type Ledger, newLedger, startWriters } from "./writers.ts";

const SECONDS = Number(process.env["TORTURE_SECONDS"] ?? 300);
/**
 * `TORTURE_CONTROL=on` disables the database's time-outs. The torture must
 * then fail, which shows that its checks work.
 */
const CONTROL = process.env["TORTURE_CONTROL"] === "on";
/** Parts of the names of the chosen faults. Empty: all faults. */
const CHOSEN = (process.env["TORTURE_FAULTS"] ?? "").split(",").filter(Boolean);
const [SERVERS, ORGANIZATIONS, WRITERS] = [3, 4, 4];
/** GraphQL requests per hour for each organization, more than the torture sends. */
const LIMIT = 100_000;
const APART_MS = 15_000;
const CATCH_UP_MS = 60_000;

/**
 * Freezes, kills, restarts and cuts off three servers at random while clients write to several organizations. A proxy
 * passes connections to the servers in turn. The servers use one PostgreSQL, or the Citus of TEST_CITUS_URL, where
 * workers are also killed and frozen and the coordinator is killed. No acknowledged write may be lost. The change log
 * must have no gap, and every follower must have exactly the log. No organization may be without a write for more
 * than 12 s. Limits hold for all servers together. Prints a table and a line of JSON.
 */
export async function tortureServers(): Promise<boolean> {
  const interrupted = rejectOnInterrupt();
  const undo: (() => unknown)[] = [];
  try {
    const cluster = await startCluster();
    undo.push(cluster.remove);
    if (CONTROL) await dropIdleBound(cluster.url);
    const fleet = await startFleet(SERVERS, {
      DATABASE_URL: cluster.url,
      JWT_SECRET: SECRET,
      INGEST_RATE_REQUESTS: "off",
      INGEST_RATE_EVENTS: "off",
      GRAPHQL_REQUESTS_PER_HOUR: String(LIMIT),
      GRAPHQL_COMPLEXITY_PER_HOUR: "off",
    });
    undo.push(fleet.stop);
    return await Promise.race([torture(cluster, fleet), interrupted]);
  } finally {
    for (const each of undo.reverse()) await each();
  }
}

async function torture(cluster: Cluster, fleet: Fleet): Promise<boolean> {
  const proxy = await startProxy(fleet.urls);
  try {
    const ledgers = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => organization(fleet)));
    const followers = ledgers.map((ledger, at) => follow(proxy.url, ledger, at));
    const begun = performance.now();
    const stops = ledgers.map((ledger) => startWriters(ledger, [proxy.url], WRITERS));
    const { counts, absences } = await strikeFor(SECONDS * 1_000, fleet, cluster);
    await sleep(2_000);
    await Promise.all(stops.map((stop) => stop()));
    const ended = performance.now();
    const { url } = cluster;
    const findings = await judgeWrites({ url, ledgers, followers, begun, ended, patience: CATCH_UP_MS, absences });
    for (const one of followers.flat()) one.stop();
    const limits = await checkSharedLimits(fleet.urls);
    const crashes = { what: "servers that ended by themselves", figure: fleet.crashes(), held: fleet.crashes() === 0 };
    if (absences.length > 0) console.table(buildResponseTable(ledgers, absences));
    return report([...findings, ...judgeOthers(ledgers, absences), ...limits, crashes], counts, cluster.engine);
  } finally {
    proxy.close();
  }
}

async function organization({ urls, databaseUrl }: Fleet): Promise<Ledger> {
  const tenant = await retryWhileBusy(() => createOrganization({ url: urls[0] }));
  const ledger = newLedger(tenant, await retryWhileBusy(() => createTeam(tenant)));
  return citusUrl ? { ...ledger, node: await readNode(databaseUrl, tenant.organizationId) } : ledger;
}

const follow = (url: string, { tenant }: Ledger, at: number): Follower[] => [
  followRealtime(`realtime ${at + 1}`, url, tenant.apiKey),
  followQuery([url], tenant.apiKey),
];

/**
 * Strikes at random until the time is over, always among the rarest faults so far, so that each fault
 * occurs. Resolves to the number of strikes per fault and the absences of nodes. Prints each strike, because
 * a run takes minutes.
 */
async function strikeFor(ms: number, fleet: Fleet, { nodes }: Cluster) {
  const counts: Record<string, number> = {};
  const absences: Absence[] = [];
  const known = [...FAULTS, ...(nodes ? nodeFaults(nodes) : [])];
  const chosen = known.filter(({ name }) => CHOSEN.length === 0 || CHOSEN.some((word) => name.includes(word)));
  const all = CONTROL ? [HOLDER_FROZEN] : chosen;
  const begun = performance.now();
  let held = Number.NEGATIVE_INFINITY;
  while (performance.now() < begun + ms) {
    const mayHold = CONTROL || performance.now() - held >= APART_MS;
    const possible = all.filter(({ holds }) => mayHold || !holds);
    if (possible.length === 0 && all.length > 0) {
      await sleep(1_000);
      continue;
    }
    const fault = rarest(possible, counts);
    if (fault.holds) held = performance.now();
    counts[fault.name] = (counts[fault.name] ?? 0) + 1;
    console.error(`${Math.round((performance.now() - begun) / 1_000)} of ${SECONDS} s: ${fault.name}`);
    const from = performance.now();
    await fault.strike(fleet, Math.floor(Math.random() * SERVERS));
    if (fault.node !== undefined) absences.push({ fault: fault.name, node: fault.node, from, to: performance.now() });
    await sleep(1_000 + Math.random() * 3_000);
  }
  return { counts, absences };
}

/** Picks one of the rarest faults at random. */
function rarest(faults: readonly Fault[], counts: Record<string, number>): Fault {
  const least = Math.min(...faults.map(({ name }) => counts[name] ?? 0));
  const among = faults.filter(({ name }) => (counts[name] ?? 0) === least);
  const fault = among[Math.floor(Math.random() * among.length)];
  if (!fault) throw new Error("there is no fault to strike with");
  return fault;
}

/** Shadows `set_config` with a function of the same name that removes the time-out of idle transactions. */
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
