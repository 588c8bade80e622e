import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { openDatabase } from "../../db/open.ts";
import { freePort, ownCluster, runSql } from "../../test/support/db/postgres.ts";
import { spawnServer } from "../../test/support/run/process.ts";
import { fillTracker, LARGE, type Tracker } from "../../test/support/tracker/tracker.ts";
import { cpuOf } from "../support/cpu.ts";
import { middle } from "../support/figures.ts";
import { postAll } from "../support/post.ts";
import { postmasterOf } from "../support/postmaster.ts";
import { SECRET } from "../support/secret.ts";
import { variablesOf, WORKLOADS, type Workload } from "./workloads.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 7);
const CONNECTIONS = 8;

/** Someone who answers the loads over the same database. */
interface Contestant {
  name: "ours" | "limit" | "usual";
  url: string;
  pid: number;
  headers: Record<string, string>;
  /** The team that it creates issues in: nobody waits for another's team. */
  teamId: string;
  stop(): void;
}

/**
 * The cost of a request in one run: µs of CPU of the server and PostgreSQL, and of the server alone; and requests a
 * second.
 */
interface Cost {
  cpu: number;
  server: number;
  rate: number;
}

/**
 * Measures the data plane beside its limit (node's http and one prepared statement) and beside the usual stack. They take
 * turns on a PostgreSQL cluster of its own with 100,000 issues. Answers are checked to be equal first. CPU counts
 * the server's process and all of PostgreSQL. Prints a table and one line of JSON with the ratios.
 */
export async function benchGraphql(): Promise<void> {
  const cluster = await ownCluster();
  const all: Contestant[] = [];
  try {
    const tracker = await filled(cluster.url);
    const postmaster = await postmasterOf(cluster.url);
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

async function filled(url: string): Promise<Tracker> {
  const db = await openDatabase({ url, dataDir: "", poolSize: 2 });
  const tracker = await fillTracker(db, LARGE);
  await db.close();
  await runSql(url, "vacuum analyze");
  return tracker;
}

async function ourServer(url: string, tracker: Tracker): Promise<Contestant> {
  const port = await freePort();
  // The others log nothing either.
  const env = { LOG_LEVEL: "warn", GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off" };
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET, PORT: String(port), ...env });
  const base = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${base}/api/health`).catch(() => undefined))?.ok) await sleep(100);
  const headers = { Authorization: tracker.apiKey };
  const stop = () => void server.stop();
  return { name: "ours", url: base, pid: Number(server.child.pid), headers, teamId: tracker.teamIds[0] ?? "", stop };
}

async function forked(name: "limit" | "usual", url: string, tracker: Tracker): Promise<Contestant> {
  const child: ChildProcess = fork(join(import.meta.dirname, `${name}.ts`), {
    env: { ...process.env, DATABASE_URL: url, ORGANIZATION: tracker.organizationId, USER_ID: tracker.userId },
    execArgv: ["--import", "tsx/esm"],
  });
  const [{ url: base }] = (await once(child, "message")) as [{ url: string }];
  const teamId = tracker.teamIds[name === "limit" ? 1 : 2] ?? "";
  return { name, url: base, pid: Number(child.pid), headers: {}, teamId, stop: () => child.kill() };
}

const bodyOf = ({ teamId }: Contestant, { name, query }: Workload, { discussedId }: Tracker): Buffer =>
  Buffer.from(
    JSON.stringify({ query, operationName: name, variables: variablesOf(name, { issueId: discussedId, teamId }) }),
  );

/** Everybody answers the same; of a mutation, the same but for what is made anew. */
async function checkAnswers(all: readonly Contestant[], workload: Workload, tracker: Tracker): Promise<void> {
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
  tracker: Tracker,
  postmaster: number,
): Promise<Cost> {
  const body = bodyOf(contestant, workload, tracker);
  const bodies = Array.from({ length: workload.requests }, () => body);
  const before = [cpuOf(contestant.pid), cpuOf(postmaster)];
  const seconds = await postAll(`${contestant.url}/graphql`, bodies, CONNECTIONS, contestant.headers);
  const server = (cpuOf(contestant.pid) - (before[0] ?? 0)) / workload.requests;
  const database = (cpuOf(postmaster) - (before[1] ?? 0)) / workload.requests;
  return { cpu: server + database, server, rate: workload.requests / seconds };
}

function summary(workload: Workload, costs: Record<Contestant["name"], Cost[]>) {
  const of = (who: Contestant["name"], what: keyof Cost) => Math.round(middle(costs[who].map((cost) => cost[what])));
  const share = (who: Contestant["name"]) =>
    Number(middle(costs.limit.map(({ cpu }, round) => cpu / (costs[who][round]?.cpu ?? Number.NaN))).toFixed(2));
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
