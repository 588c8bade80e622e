import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { openDatabase } from "../../db/open.ts";
import { findFreePort, runSql, startOwnCluster } from "../../test/support/db/postgres.ts";
import { spawnServer } from "../../test/support/run/process.ts";
import { type FilledTracker, fillTracker, LARGE_SCALE } from "../../test/support/tracker/tracker.ts";
import { readCpuTime } from "../support/cpu.ts";
import { computeMedian } from "../support/figures.ts";
import { postAll } from "../support/post.ts";
import { findPostmaster } from "../support/postmaster.ts";
import { SECRET } from "../support/secret.ts";
import { buildVariables, WORKLOADS, type Workload } from "./workloads.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 7);
const CONNECTIONS = 8;

interface Contestant {
  name: "ours" | "limit" | "usual";
  url: string;
  pid: number;
  headers: Record<string, string>;
  /** The team for created issues. Each contestant has its own team, so that none waits for another's locks. */
  teamId: string;
  stop(): void;
}

/**
 * The cost per request in one run: µs of CPU of the server and PostgreSQL together, and of the server alone; and
 * requests per second.
 */
interface Cost {
  cpu: number;
  server: number;
  rate: number;
}

/**
 * Compares the GraphQL API with its limit (node's http and one prepared statement) and with the usual stack, in
 * turns, on a separate PostgreSQL cluster with 100,000 issues. First checks that the responses are equal. CPU counts
 * the server's process and all of PostgreSQL. Prints a table and one line of JSON with the ratios.
 */
export async function benchGraphql(): Promise<void> {
  const cluster = await startOwnCluster();
  const all: Contestant[] = [];
  try {
    const tracker = await filled(cluster.url);
    const postmaster = await findPostmaster(cluster.url);
    all.push(await ourServer(cluster.url, tracker));
    all.push(await forked("limit", cluster.url, tracker), await forked("usual", cluster.url, tracker));
    for (const workload of WORKLOADS) await checkAnswers(all, workload, tracker);
    const rows = [];
    for (const workload of WORKLOADS) {
      const costs = { ours: [] as Cost[], limit: [] as Cost[], usual: [] as Cost[] };
      for (let round = 0; round <= ROUNDS; round += 1) {
        for (const contestant of all) {
          const cost = await measure(contestant, workload, tracker, postmaster);
          if (round > 0) costs[contestant.name].push(cost);
        }
      }
      rows.push(summary(workload, costs));
    }
    console.table(rows);
    console.log(JSON.stringify({ bench: "graphql", rounds: ROUNDS, connections: CONNECTIONS, rows }));
  } finally {
    for (const { stop } of all) stop();
    cluster.remove();
  }
}

async function filled(url: string): Promise<FilledTracker> {
  const db = await openDatabase({ url, dataDir: "", poolSize: 2 });
  const tracker = await fillTracker(db, LARGE_SCALE);
  await db.close();
  await runSql(url, "vacuum analyze");
  return tracker;
}

async function ourServer(url: string, tracker: FilledTracker): Promise<Contestant> {
  const port = await findFreePort();
  // The other contestants write no log either.
  const env = { LOG_LEVEL: "warn", GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off" };
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET, PORT: String(port), ...env });
  const base = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${base}/api/health`).catch(() => undefined))?.ok) await sleep(100);
  const headers = { Authorization: tracker.apiKey };
  const stop = () => void server.stop();
  return { name: "ours", url: base, pid: Number(server.child.pid), headers, teamId: tracker.teamIds[0] ?? "", stop };
}

async function forked(name: "limit" | "usual", url: string, tracker: FilledTracker): Promise<Contestant> {
  const child: ChildProcess = fork(join(import.meta.dirname, `${name}.ts`), {
    env: { ...process.env, DATABASE_URL: url, ORGANIZATION: tracker.organizationId, USER_ID: tracker.userId },
    execArgv: ["--import", "tsx/esm"],
  });
  const [{ url: base }] = (await once(child, "message")) as [{ url: string }];
  const teamId = tracker.teamIds[name === "limit" ? 1 : 2] ?? "";
  return { name, url: base, pid: Number(child.pid), headers: {}, teamId, stop: () => child.kill() };
}

const bodyOf = ({ teamId }: Contestant, { name, query }: Workload, { discussedId }: FilledTracker): Buffer =>
  Buffer.from(
    JSON.stringify({ query, operationName: name, variables: buildVariables(name, { issueId: discussedId, teamId }) }),
  );

/** Checks that all contestants return the same response. For a mutation, new ids and times may differ. */
async function checkAnswers(all: readonly Contestant[], workload: Workload, tracker: FilledTracker): Promise<void> {
  const answers = await Promise.all(
    all.map(async (contestant) => {
      const headers = { "Content-Type": "application/json", ...contestant.headers };
      const body = bodyOf(contestant, workload, tracker);
      const text = await (await fetch(`${contestant.url}/graphql`, { method: "POST", headers, body })).text();
      return JSON.parse(workload.name === "W3" ? text.replace(NEW, '"$1":0') : text);
    }),
  );
  const [ours] = answers;
  if (!ours?.data || !answers.every((answer) => isDeepStrictEqual(answer, ours))) {
    throw new Error(`${workload.name}: the answers differ: ${JSON.stringify(answers).slice(0, 4_000)}`);
  }
}

const NEW = /"(id|identifier|key|createdAt|lastSyncId)":("[^"]*"|\d+)/g;

async function measure(
  contestant: Contestant,
  workload: Workload,
  tracker: FilledTracker,
  postmaster: number,
): Promise<Cost> {
  const body = bodyOf(contestant, workload, tracker);
  const bodies = Array.from({ length: workload.requests }, () => body);
  const before = [readCpuTime(contestant.pid), readCpuTime(postmaster)];
  const seconds = await postAll(`${contestant.url}/graphql`, bodies, CONNECTIONS, contestant.headers);
  const server = (readCpuTime(contestant.pid) - (before[0] ?? 0)) / workload.requests;
  const database = (readCpuTime(postmaster) - (before[1] ?? 0)) / workload.requests;
  return { cpu: server + database, server, rate: workload.requests / seconds };
}

function summary(workload: Workload, costs: Record<Contestant["name"], Cost[]>) {
  const of = (who: Contestant["name"], what: keyof Cost) =>
    Math.round(computeMedian(costs[who].map((cost) => cost[what])));
  const share = (who: Contestant["name"]) =>
    Number(computeMedian(costs.limit.map(({ cpu }, round) => cpu / (costs[who][round]?.cpu ?? Number.NaN))).toFixed(2));
  return {
    load: `${workload.name} ${workload.about}`,
    "µs a request": of("ours", "cpu"),
    "of it server": of("ours", "server"),
    "limit µs": of("limit", "cpu"),
    "of it limit's server": of("limit", "server"),
    "usual µs": of("usual", "cpu"),
    "share of limit": share("ours"),
    goal: workload.goal,
    "usual's share": share("usual"),
    "requests/s": of("ours", "rate"),
    "limit/s": of("limit", "rate"),
    "usual/s": of("usual", "rate"),
  };
}
