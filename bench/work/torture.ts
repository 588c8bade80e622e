import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { createOrganization } from "../../test/support/server.ts";
import { createAgent } from "../../test/support/tracker/work.ts";
import { createWorkspaceIn, type Workspace } from "../../test/support/workspace.ts";
import { type Fleet, startFleet } from "../servers/fleet.ts";
import { SECRET } from "../support/secret.ts";
import { type Crews, type Ledger, startCrews } from "./crews.ts";

const SECONDS = Number(process.env["TORTURE_SECONDS"] ?? 400);
const AGENTS = Number(process.env["TORTURE_AGENTS"] ?? 50);
const ISSUES = Number(process.env["TORTURE_ISSUES"] ?? 200);
/** `TORTURE_CONTROL=on` takes issues by reading and then writing. The checks must then find issues with two holders. */
const CONTROL = process.env["TORTURE_CONTROL"] === "on";
const EMBEDDED = process.env["TORTURE_ENGINE"] === "embedded";
const KILL_MS = 5_000;
/** Agents per process, and the interval in ms at which a process is killed. */
const CREW = 5;
const KILL_CREW_MS = 7_000;

/**
 * Lets agents take issues that block each other, from three servers on one PostgreSQL, or from one server on the
 * embedded engine. A server is killed every five seconds, and agents are killed at random times. According to the
 * change log, each issue must have at most one holder at any time and be finished exactly once. According to the
 * agents, no claim may be won twice. Prints a table and a line of JSON.
 */
export async function tortureClaims(): Promise<boolean> {
  const cluster = EMBEDDED ? undefined : await startOwnCluster();
  const fleet = await startFleet(cluster ? 3 : 1, {
    ...(cluster
      ? { DATABASE_URL: cluster.url, JWT_SECRET: SECRET }
      : { DATA_DIR: await mkdtemp(join(tmpdir(), "trackway-claims-")), TRACKWAY_BOOTSTRAP: "off" }),
    GRAPHQL_REQUESTS_PER_HOUR: "off",
    GRAPHQL_COMPLEXITY_PER_HOUR: "off",
    LOGIN_THROTTLE: "off",
    LOG_LEVEL: "info",
  });
  try {
    return await run(fleet);
  } finally {
    await fleet.stop();
    cluster?.remove();
  }
}

async function run(fleet: Fleet): Promise<boolean> {
  const space = await createWorkspaceIn(await createOrganization({ url: fleet.urls[0] }));
  const agents = [];
  for (let n = 0; n < AGENTS; n += 1) agents.push(await createAgent(space, `Agent ${n}`));
  const issues = await fill(space);
  const startedId = space.states["In Progress"] ?? "";
  const begun = performance.now();
  const crews = startCrews(agents, CREW, { urls: fleet.urls, startedId, naive: CONTROL });
  const kills = await killUntilDone(fleet, crews, space);
  await crews.stop();
  const seconds = Math.round((performance.now() - begun) / 1_000);
  return report(crews.ledger, await judge(space, issues), { kills, seconds });
}

/** Creates issues, most of which wait for an earlier issue. */
async function fill(space: Workspace): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < ISSUES; from += 50) {
    const inputs = Array.from({ length: Math.min(50, ISSUES - from) }, (_, at) => ({
      teamId: space.teamId,
      title: `Issue ${from + at}`,
      priority: at % 5,
    }));
    const made = await space.does("issueBatchCreate", { input: { issues: inputs } }, "issues { id }");
    ids.push(...made.issues.map(({ id }: { id: string }) => id));
  }
  for (let at = 20; at < ids.length; at += 1) {
    if (at % 4 === 0) continue;
    const input = { type: "blocks", issueId: ids[Math.floor(Math.random() * at)], relatedIssueId: ids[at] };
    await space.does("issueRelationCreate", { input });
  }
  return ids;
}

/**
 * Kills servers and agents until no issue is open. Resolves to the number of killed servers. The control kills no
 * agents, because without leases the issues of killed agents would stay taken.
 */
async function killUntilDone(fleet: Fleet, crews: Crews, space: Workspace): Promise<number> {
  const until = performance.now() + SECONDS * 1_000;
  const stops = [killServers(fleet), ...(CONTROL ? [] : [killAgents(crews)])];
  while (performance.now() < until && (await anyOpen(space))) await sleep(1_000);
  const [kills = 0] = await Promise.all(stops.map((stop) => stop()));
  return kills;
}

/** Kills a running server every five seconds, even when earlier servers are still restarting. */
function killServers(fleet: Fleet): () => Promise<number> {
  const down = new Map<number, Promise<void>>();
  let kills = 0;
  const timer = setInterval(() => {
    const alive = fleet.urls.map((_, at) => at).filter((at) => !down.has(at));
    const at = alive[Math.floor(Math.random() * alive.length)];
    if (at === undefined) return;
    kills += 1;
    down.set(
      at,
      fleet.restart(at, "SIGKILL").finally(() => down.delete(at)),
    );
  }, KILL_MS);
  return async () => {
    clearInterval(timer);
    await Promise.all(down.values());
    return kills;
  };
}

function killAgents(crews: Crews): () => Promise<number> {
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(() => crews.kill(Math.floor((Math.random() * AGENTS) / CREW)));
  }, KILL_CREW_MS);
  return async () => {
    clearInterval(timer);
    await last;
    return 0;
  };
}

/**
 * True when an issue is open. A killed agent may have finished an issue
 * without a report, so the servers' state counts.
 */
async function anyOpen({ gql }: Workspace): Promise<boolean> {
  const open = gql("{ issues(filter: { completedAt: { null: true } }, first: 1) { nodes { id } } }");
  return open.then(({ issues }) => issues.nodes.length > 0).catch(() => true);
}

interface Verdict {
  unfinished: number;
  finishedTwice: number;
  heldByTwo: number;
  claims: number;
  expired: number;
}

/** Judges the issues by the change log. */
async function judge(space: Workspace, issues: readonly string[]): Promise<Verdict> {
  const log = (await space.log()).filter(({ type }) => type === "Issue");
  const verdict = { unfinished: 0, finishedTwice: 0, heldByTwo: 0, claims: 0, expired: 0 };
  for (const id of issues) {
    let finished = 0;
    let holder: unknown = null;
    for (const { event, data, updatedFrom } of log.filter(({ entityId }) => entityId === id)) {
      if (event === "issue.claimed" && holder !== null) verdict.heldByTwo += 1;
      if (event === "issue.claimed") verdict.claims += 1;
      if (event === "issue.leaseExpired") verdict.expired += 1;
      if (updatedFrom && "completedAt" in updatedFrom && data["completedAt"]) finished += 1;
      holder = data["holderId"];
    }
    if (finished === 0) verdict.unfinished += 1;
    if (finished > 1) verdict.finishedTwice += 1;
  }
  return verdict;
}

function report(ledger: Ledger, verdict: Verdict, run: { kills: number; seconds: number }): boolean {
  const { won, finished, late, killed } = ledger;
  const doubles = won.length - new Set(won.map(({ key }) => key)).size;
  const toldTwice = finished.length - new Set(finished).size;
  const { unfinished, finishedTwice, heldByTwo } = verdict;
  const wrong = unfinished + finishedTwice + toldTwice + heldByTwo + doubles;
  const held = CONTROL ? doubles > 0 : wrong === 0;
  const figures = { agents: AGENTS, issues: ISSUES, ...run, killed, ...verdict, toldTwice, doubles, late };
  console.table(figures);
  console.log(JSON.stringify({ torture: "claims", embedded: EMBEDDED, control: CONTROL, held, ...figures }));
  return held;
}
