import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../db/open.ts";
import { repairOrganization } from "../../server/jobs/derived/repair.ts";
import type { Runtime } from "../../server/runtime.ts";
import { ownCluster } from "../../test/support/db/postgres.ts";
import { LISTENING, spawnServer } from "../../test/support/run/process.ts";
import { freshOrganization } from "../../test/support/server.ts";
import { makeTeam } from "../../test/support/tracker/stream-writes.ts";
import { type Fleet, startFleet } from "../servers/fleet.ts";
import { type Finding, judge } from "../servers/judge.ts";
import { startProxy } from "../servers/proxy.ts";
import { type Ledger, newLedger, startWriters } from "../servers/writers.ts";
import { SECRET } from "../support/secret.ts";
import { followQuery, followRealtime } from "../webhooks/followers.ts";
import { type Build, packed, today } from "./build.ts";
import { embeddedUpgrade } from "./embedded.ts";

/** Each mix of builds stays for so long under load. */
const SECONDS = Number(process.env["TORTURE_SECONDS"] ?? 60) / 5;
const [ORGANIZATIONS, WRITERS, CATCH_UP_MS] = [3, 4, 60_000];

/**
 * An upgrade, and the way back: two servers under load on one PostgreSQL, each of the packed build or of today's. First both are old,
 * then one is new, then both; then the other one is taken back, and the first one too, so that each build is the newcomer beside the
 * other. It is done in both orders: the database is made by the packed build, and another one by today's. Nothing acknowledged may
 * be lost, no answer may be a 5xx but 503, and what is derived must be right. The embedded directory goes the same way. A build that
 * refuses the other's database has to do so in one line before it starts.
 * `BEFORE` names the packed build, as `packed` takes it. Prints a table and a line of JSON an order.
 */
export async function tortureUpgrade(): Promise<boolean> {
  const [before, now] = [packed(process.env["BEFORE"]), today()];
  const upgrade = await inOrder({ old: before, next: now });
  const back = await inOrder({ old: now, next: before });
  return upgrade && back;
}

async function inOrder(builds: Record<"old" | "next", Build>): Promise<boolean> {
  const rows = [...(await sideBySide(builds)), ...(await embeddedUpgrade(builds))];
  console.table(rows);
  const held = rows.every((row) => row.held);
  const { old, next } = builds;
  console.log(JSON.stringify({ torture: "upgrade", old: old.name, next: next.name, seconds: SECONDS * 5, held, rows }));
  return held;
}

/** The builds of the first server and of the second, one mix after the other. */
const MIXES = [
  ["next", "old"],
  ["next", "next"],
  ["old", "next"],
  ["old", "old"],
] as const;

async function sideBySide(builds: Record<"old" | "next", Build>): Promise<Finding[]> {
  const cluster = await ownCluster();
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
    const findings = await judge({ url: cluster.url, ledgers, followers, begun, ended, patience: CATCH_UP_MS });
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
  const tenant = await freshOrganization({ url: urls[0] });
  return newLedger(tenant, await makeTeam(tenant));
}

/** A build that does not open the database: right only if it says so in one line and ends with 2. */
async function refusal({ command }: Build, env: Record<string, string>): Promise<Finding | undefined> {
  const server = spawnServer(env, command);
  if (await server.printed(LISTENING).catch(() => undefined)) {
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
    const repaired = await repairOrganization(runtime, tenant.organizationId, Number.POSITIVE_INFINITY);
    figure += Object.values(repaired).reduce((sum, times) => sum + times, 0);
  }
  await db.close();
  return { what: "derived values that differed from their source", figure, held: figure === 0 };
}
