import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../db/open.ts";
import { findFreePort, runSql, startOwnCluster } from "../../test/support/db/postgres.ts";
import { spawnServer } from "../../test/support/run/process.ts";
import { type FilledTracker, fillTracker } from "../../test/support/tracker/tracker.ts";
import { SECRET } from "../support/secret.ts";
import { fillWork } from "./fill.ts";

const ISSUES = Number(process.env["BENCH_ISSUES"] ?? 1_000_000);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 200);
const SMALL = { organizations: 2, teams: 5, users: 3, labels: 3, projects: 1, issues: 50, comments: 1 };

const READY = `query ($filter: IssueFilter) { issues(filter: $filter, sort: [{ ready: {} }], first: 10) {
  nodes { identifier title priority state { name } } } }`;
const CLAIM = `mutation ($filter: IssueFilter) { issueClaim(input: { filter: $filter }) { issue { identifier } lease { fence } } }`;

const CREATE = `mutation ($team: String!) { issueCreate(input: { teamId: $team, title: "One more", priority: 4 }) { issue { identifier } } }`;

interface Load {
  name: string;
  query: string;
  variables(tracker: FilledTracker, round: number): object;
}

const ofTeam = ({ teamIds }: FilledTracker, round: number) => ({
  team: { id: { eq: teamIds[round % teamIds.length] } },
});
const ready = { ready: { eq: true } };
const LOADS: readonly Load[] = [
  { name: "ready", query: READY, variables: () => ({ filter: ready }) },
  { name: "ready of a team", query: READY, variables: (...which) => ({ filter: { ...ready, ...ofTeam(...which) } }) },
  { name: "claim the next", query: CLAIM, variables: () => ({ filter: {} }) },
  { name: "claim the next of a team", query: CLAIM, variables: (...which) => ({ filter: ofTeam(...which) }) },
  { name: "create an issue, to compare with", query: CREATE, variables: ({ teamIds }) => ({ team: teamIds[0] }) },
];

/** PostgreSQL's plan for the page of ready issues. */
const EXPLAIN = `explain (analyze, buffers) select id from issue where "organizationId" = $ORG
  and "stateType" in ('backlog', 'unstarted', 'triage') and "archivedAt" is null and trashed is not true
  and "openBlockers" = 0 and not leased
  order by coalesce(nullif(priority, 0), 5), unblocks desc, "createdAt", id limit 11`;

/**
 * Measures the durations of listing ready issues and of claiming the next issue, among a million issues on a separate
 * PostgreSQL cluster. Prints a table of percentiles in ms and one line of JSON.
 */
export async function benchWork(): Promise<void> {
  const cluster = await startOwnCluster();
  let stop = async () => {};
  try {
    const tracker = await filled(cluster.url);
    const port = await findFreePort();
    const env = { LOG_LEVEL: "warn", GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off" };
    const server = spawnServer({ DATABASE_URL: cluster.url, JWT_SECRET: SECRET, PORT: String(port), ...env });
    stop = async () => void (await server.stop());
    const url = `http://127.0.0.1:${port}`;
    while (!(await fetch(`${url}/api/health`).catch(() => undefined))?.ok) await sleep(100);
    const rows = [];
    for (const load of LOADS) rows.push(await measure(url, tracker, load));
    console.table(rows);
    for (const row of await runSql(cluster.url, EXPLAIN.replace("$ORG", `'${tracker.organizationId}'`))) {
      console.log(row["QUERY PLAN"]);
    }
    console.log(JSON.stringify({ bench: "work", issues: ISSUES, rounds: ROUNDS, rows }));
  } finally {
    await stop();
    cluster.remove();
  }
}

async function filled(url: string): Promise<FilledTracker> {
  const db = await openDatabase({ url, dataDir: "", poolSize: 2 });
  const tracker = await fillTracker(db, SMALL);
  await db.close();
  await fillWork(url, tracker, ISSUES);
  await runSql(url, "vacuum analyze");
  return tracker;
}

async function measure(url: string, tracker: FilledTracker, { name, query, variables }: Load) {
  const times: number[] = [];
  for (let round = -20; round < ROUNDS; round += 1) {
    const body = JSON.stringify({ query, variables: variables(tracker, round + 20) });
    const headers = { "Content-Type": "application/json", Authorization: tracker.apiKey };
    const begun = performance.now();
    const reply = await (await fetch(`${url}/graphql`, { method: "POST", headers, body })).json();
    if ((reply as { errors?: unknown }).errors) throw new Error(JSON.stringify(reply));
    if (round >= 0) times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  const at = (share: number) => Number((times[Math.ceil(times.length * share) - 1] ?? 0).toFixed(1));
  return { load: name, p50: at(0.5), p95: at(0.95), max: at(1) };
}
