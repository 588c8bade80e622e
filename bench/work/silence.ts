import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { ownCluster } from "../../test/support/db/postgres.ts";
import { freshOrganization, sendGraphQL } from "../../test/support/server.ts";
import { freshAgent } from "../../test/support/tracker/work.ts";
import { type Workspace, workspaceOf } from "../../test/support/workspace.ts";
import { type Fleet, startFleet } from "../servers/fleet.ts";
import { SECRET } from "../support/secret.ts";

const TTL_SECONDS = 60;
/** The longest that a lease may be there after its end. */
const GRACE_MS = 5_000;
const ISSUES = 10;
/** The time for which an agent records, and the interval. */
const RECORDED_MS = 150_000;
const EVERY_MS = 5_000;
const HOUR_MS = 3_600_000;
const CLOCKS = { right: 0, "an hour ahead": HOUR_MS, "an hour behind": -HOUR_MS };

interface Held {
  id: string;
  session: string | undefined;
  expiresAt: number;
  freedAt: number | undefined;
  /** When it was last recorded. */
  heardAt: number;
}

/**
 * Issues are claimed from one server, which is killed; another one alone has to free them in time, whatever its clock says.
 * Those whose holders are silent are free at the end of their lease and five seconds at most; those that record are held as
 * long as they do. Prints a table and a line of JSON.
 */
export async function tortureSilence(): Promise<boolean> {
  const rows = await Promise.all(Object.entries(CLOCKS).map(([clock, skew]) => underClock(clock, skew)));
  console.table(rows);
  const held = rows.every((row) => row.held);
  console.log(JSON.stringify({ torture: "silence", ttlSeconds: TTL_SECONDS, held, rows }));
  return held;
}

async function underClock(clock: string, skew: number) {
  const cluster = await ownCluster();
  const env = { DATABASE_URL: cluster.url, JWT_SECRET: SECRET, INGEST_RATE_REQUESTS: "off", INGEST_RATE_EVENTS: "off" };
  const budgets = { GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off" };
  let fleet: Fleet | undefined;
  try {
    fleet = await startFleet(1, { ...env, ...budgets });
    const space = await workspaceOf(await freshOrganization({ url: fleet.urls[0] }));
    const issues = await claimAll(space);
    fleet.signal(0, "SIGKILL");
    const wrong = {
      CLOCK_SKEW_MS: String(skew),
      NODE_OPTIONS: `--import ${pathToFileURL(resolve("bench/work/clock.js"))}`,
    };
    fleet = await startFleet(1, { ...env, ...budgets, ...wrong });
    await watch(space, String(fleet.urls[0]), issues);
    return judged(clock, skew, issues);
  } finally {
    await fleet?.stop();
    cluster.remove();
  }
}

async function claimAll(space: Workspace): Promise<Held[]> {
  const agent = await freshAgent(space);
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

/** Records for those with a session, and looks ten times a second who is still held, until nobody is or should be. */
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
  // Under a wrong clock a lease lasts from the check that found the last event, a twentieth of its time later at most.
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
