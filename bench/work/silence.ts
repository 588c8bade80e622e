import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { createOrganization, sendGraphQL } from "../../test/support/server.ts";
import { createAgent } from "../../test/support/tracker/work.ts";
import { createWorkspaceIn, type Workspace } from "../../test/support/workspace.ts";
import { type Fleet, startFleet } from "../servers/fleet.ts";
import { SECRET } from "../support/secret.ts";

const TTL_SECONDS = 60;
/** Maximum time in ms that a lease may exist after its end. */
const GRACE_MS = 5_000;
const ISSUES = 10;
/** The time for which an agent records events, and the interval between events. */
const RECORDED_MS = 150_000;
const EVERY_MS = 5_000;
const HOUR_MS = 3_600_000;
const CLOCKS = { right: 0, "an hour ahead": HOUR_MS, "an hour behind": -HOUR_MS };

interface Held {
  id: string;
  session: string | undefined;
  expiresAt: number;
  freedAt: number | undefined;
  /** Time of the last recorded event. */
  heardAt: number;
}

/**
 * Agents claim issues on one server, which is then killed. Another server must free the issues in time, even with a
 * wrong clock. Issues of silent holders become free at most five seconds after their lease ends. Holders that record
 * events keep their issues as long as they record. Prints a table and a line of JSON.
 */
export async function tortureSilence(): Promise<boolean> {
  const rows = await Promise.all(Object.entries(CLOCKS).map(([clock, skew]) => underClock(clock, skew)));
  console.table(rows);
  const held = rows.every((row) => row.held);
  console.log(JSON.stringify({ torture: "silence", ttlSeconds: TTL_SECONDS, held, rows }));
  return held;
}

async function underClock(clock: string, skew: number) {
  const cluster = await startOwnCluster();
  const env = { DATABASE_URL: cluster.url, JWT_SECRET: SECRET, INGEST_RATE_REQUESTS: "off", INGEST_RATE_EVENTS: "off" };
  const budgets = { GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off" };
  let fleet: Fleet | undefined;
  try {
    fleet = await startFleet(1, { ...env, ...budgets });
    const space = await createWorkspaceIn(await createOrganization({ url: fleet.urls[0] }));
    const issues = await claimAll(space);
    fleet.signal(0, "SIGKILL");
    // A server does not start with a wrong clock. The clock becomes wrong afterwards.
    const clockFile = join(mkdtempSync(join(tmpdir(), "trackway-clock-")), "clock.json");
    const setClock = (set: number) => writeFileSync(clockFile, JSON.stringify({ set, passed: 0 }));
    setClock(0);
    const wrong = { CLOCK_FILE: clockFile, NODE_OPTIONS: `--require ${resolve("test/support/run/clock.cjs")}` };
    fleet = await startFleet(1, { ...env, ...budgets, ...wrong });
    setClock(skew);
    await watch(space, String(fleet.urls[0]), issues);
    return judged(clock, skew, issues);
  } finally {
    await fleet?.stop();
    cluster.remove();
  }
}

async function claimAll(space: Workspace): Promise<Held[]> {
  const agent = await createAgent(space);
  const issues: Held[] = [];
  for (let n = 0; n < 2 * ISSUES; n += 1) {
    const { id } = await space.issue();
    const session = n % 2 ? randomUUID() : undefined;
    const { lease } = await agent.claim({ id, ttlSeconds: TTL_SECONDS, sessionId: session });
    const expiresAt = Date.parse(lease.expiresAt);
    issues.push({ id, session, expiresAt, freedAt: undefined, heardAt: expiresAt - TTL_SECONDS * 1_000 });
  }
  return issues;
}

/**
 * Records events for holders with a session, and checks ten times per second which issues are held, until every issue
 * is free or the time is over.
 */
async function watch({ apiKey, ingestKey }: Workspace, url: string, issues: Held[]): Promise<void> {
  const begun = performance.now();
  const ids = issues.map(({ id }) => id);
  const query = "query ($ids: [ID!]!) { issues(filter: { id: { in: $ids } }) { nodes { id lease { fence } } } }";
  let recorded = Number.NEGATIVE_INFINITY;
  for (;;) {
    const since = performance.now() - begun;
    if (issues.every(({ freedAt }) => freedAt) || since > RECORDED_MS + 2 * TTL_SECONDS * 1_000) return;
    if (since < RECORDED_MS && since - recorded >= EVERY_MS) {
      recorded = since;
      await record(url, ingestKey, issues);
    }
    const { data } = await sendGraphQL(url, apiKey, { query, variables: { ids } });
    const nodes: { id: string; lease: unknown }[] = data.issues.nodes;
    const free = new Set(nodes.flatMap(({ id, lease }) => (lease ? [] : [id])));
    for (const issue of issues) if (free.has(issue.id)) issue.freedAt ??= Date.now();
    await sleep(100);
  }
}

async function record(url: string, key: string, issues: Held[]): Promise<void> {
  const alive = issues.filter(({ session }) => session);
  const events = alive.map(({ session }) => ({
    ...{ event_id: randomUUID(), session_id: session, primitive_name: "agent", args: "", result: "" },
  }));
  const headers = { "Content-Type": "application/json", "x-api-key": key };
  const body = JSON.stringify({ events });
  const { ok } = await fetch(`${url}/api/v1/capture-events`, { method: "POST", headers, body });
  if (!ok) throw new Error("what was recorded was refused");
  for (const issue of alive) issue.heardAt = Date.now();
}

function judged(clock: string, skew: number, issues: readonly Held[]) {
  const silent = issues.filter(({ session }) => !session);
  const recording = issues.filter(({ session }) => session);
  const late = silent.map(({ freedAt = Number.POSITIVE_INFINITY, expiresAt }) => freedAt - expiresAt);
  const after = recording.map(({ freedAt = Number.POSITIVE_INFINITY, heardAt }) => freedAt - heardAt);
  // With a wrong clock, the lease counts from the check that found the last event, which adds at most a twentieth of
  // the lease's duration.
  const most = TTL_SECONDS * (skew === 0 ? 1_000 : 1_050) + GRACE_MS;
  const least = TTL_SECONDS * 1_000 - 1_000;
  const figures = {
    silentFreedAfterMs: `${Math.min(...late)} to ${Math.max(...late)}`,
    recordedHeldAfterLastEventMs: `${Math.min(...after)} to ${Math.max(...after)}`,
    lostWhileRecording: after.filter((ms) => ms < least).length,
    heldTooLong: after.filter((ms) => ms > most).length,
  };
  const inTime = late.every((ms) => ms >= 0 && ms <= GRACE_MS);
  return { clock, ...figures, held: inTime && figures.lostWhileRecording + figures.heldTooLong === 0 };
}
