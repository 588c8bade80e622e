import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../db/open.ts";
import { repairOrganizationValues } from "../../server/jobs/derived/repair.ts";
import type { Runtime } from "../../server/runtime.ts";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { LISTENING_LINE, spawnServer } from "../../test/support/run/process.ts";
import { createOrganization } from "../../test/support/server.ts";
import { createTeam } from "../../test/support/tracker/stream-writes.ts";
import { type Fleet, startFleet } from "../servers/fleet.ts";
import { type Finding, judgeWrites } from "../servers/judge.ts";
import { startProxy } from "../servers/proxy.ts";
import { type Ledger, newLedger, startWriters } from "../servers/writers.ts";
import { SECRET } from "../support/secret.ts";
import { followQuery, followRealtime } from "../webhooks/followers.ts";
import { type Build, getCurrentBuild, packBuild } from "./build.ts";
import { checkEmbeddedUpgrade } from "./embedded.ts";

/** Seconds of load for each mix of builds. */
const SECONDS = Number(process.env["TORTURE_SECONDS"] ?? 60) / 5;
const [ORGANIZATIONS, WRITERS, CATCH_UP_MS] = [3, 4, 60_000];

/**
 * Tests an upgrade and the way back: two servers under load on one PostgreSQL, each from the packed build or the
 * current build. First both are old, then one is new, then both. Then the servers return to the old build one by one,
 * so that each build is once the newcomer. The torture runs in both orders: the packed build creates the first
 * database, and the current build creates the second. No acknowledged write may be lost, no response may be a 5xx
 * other than 503, and derived values must be right. The embedded directory passes through the same builds. A build
 * that refuses the other's database must exit before the start with one line. `BEFORE` names the packed build, as the
 * parameter of `packed`. Prints a table and a line of JSON per order.
 */
export async function tortureUpgrade(): Promise<boolean> {
  const [before, now] = [packBuild(process.env["BEFORE"]), getCurrentBuild()];
  const upgrade = await inOrder({ old: before, next: now });
  const back = await inOrder({ old: now, next: before });
  return upgrade && back;
}

async function inOrder(builds: Record<"old" | "next", Build>): Promise<boolean> {
  const rows = [...(await sideBySide(builds)), ...(await checkEmbeddedUpgrade(builds))];
  console.table(rows);
  const held = rows.every((row) => row.held);
  const { old, next } = builds;
  console.log(JSON.stringify({ torture: "upgrade", old: old.name, next: next.name, seconds: SECONDS * 5, held, rows }));
  return held;
}

/** The builds of the first and the second server, one mix after the other. */
const MIXES = [
  ["next", "old"],
  ["next", "next"],
  ["old", "next"],
  ["old", "old"],
] as const;

async function sideBySide(builds: Record<"old" | "next", Build>): Promise<Finding[]> {
  const cluster = await startOwnCluster();
  const env = {
    ...{ DATABASE_URL: cluster.url, JWT_SECRET: SECRET, INGEST_RATE_REQUESTS: "off", INGEST_RATE_EVENTS: "off" },
    ...{ GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off" },
  };
  const fleet = await startFleet(2, env, builds.old.command);
  const proxy = await startProxy(fleet.urls);
  try {
    const refused = await refusal(builds.next, env);
    if (refused) return [refused];
    const ledgers = await Promise.all(Array.from({ length: ORGANIZATIONS }, () => organization(fleet)));
    const followers = ledgers.map(({ tenant }, at) => [
      followRealtime(`realtime ${at + 1}`, proxy.url, tenant.apiKey),
      followQuery([proxy.url], tenant.apiKey),
    ]);
    const begun = performance.now();
    const stops = ledgers.map((ledger) => startWriters(ledger, [proxy.url], WRITERS));
    await sleep(SECONDS * 1_000);
    for (const [step, mix] of MIXES.entries()) {
      console.error(`${mix.map((one) => builds[one].name).join(" and ")}, ${SECONDS} s`);
      await fleet.restart(step % 2, "SIGTERM", builds[mix[step % 2] ?? "old"].command);
      await sleep(SECONDS * 1_000);
    }
    await Promise.all(stops.map((stop) => stop()));
    const ended = performance.now();
    const findings = await judgeWrites({ url: cluster.url, ledgers, followers, begun, ended, patience: CATCH_UP_MS });
    for (const one of followers.flat()) one.stop();
    const crashes = { what: "servers that ended by themselves", figure: fleet.crashes(), held: fleet.crashes() === 0 };
    return [...findings, crashes, await derived(cluster.url, ledgers)];
  } finally {
    proxy.close();
    await fleet.stop();
    cluster.remove();
  }
}

async function organization({ urls }: Fleet): Promise<Ledger> {
  const tenant = await createOrganization({ url: urls[0] });
  return newLedger(tenant, await createTeam(tenant));
}

/** Checks a build that does not open the database: correct only with one line of output and exit code 2. */
async function refusal({ command }: Build, env: Record<string, string>): Promise<Finding | undefined> {
  const server = spawnServer(env, command);
  if (await server.printed(LISTENING_LINE).catch(() => undefined)) {
    await server.stop();
    return undefined;
  }
  const [code, said] = [await server.ended, server.output().trim()];
  return { what: `refused before the start: ${said}`, figure: code ?? 0, held: code === 2 && !said.includes("\n") };
}

/** Compares every derived value with its source, as the servers do each hour. */
async function derived(url: string, ledgers: readonly Ledger[]): Promise<Finding> {
  const db = await openDatabase({ url, dataDir: "", poolSize: 2 });
  const runtime = { db, log: console } as unknown as Runtime;
  let figure = 0;
  for (const { tenant } of ledgers) {
    const repaired = await repairOrganizationValues(runtime, tenant.organizationId, Number.POSITIVE_INFINITY);
    figure += Object.values(repaired).reduce((sum, times) => sum + times, 0);
  }
  await db.close();
  return { what: "derived values that differed from their source", figure, held: figure === 0 };
}
