import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, ownCluster, runSql } from "../../test/support/postgres.ts";
import { spawnServer } from "../../test/support/process.ts";
import { SECRET } from "../support/secret.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { fillPostgres } from "./postgres.ts";

/** How many issues the large organization has, one size after the other. */
const SIZES = process.env["BENCH_ROWS"] ? [Number(process.env["BENCH_ROWS"])] : [10_000, 100_000, 1_000_000];
const EVENTS = Number(process.env["BENCH_EVENTS"] ?? 25);
const RUNS = 20;
/** What is slow runs less often. */
const BUDGET_MS = 2_000;

const SETTINGS = ["shared_buffers = '1GB'", "random_page_cost = 1.1", "max_wal_size = '4GB'"];
/** The plan of what takes longer than 20 ms goes to the log. */
const EXPLAINS = ["session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 20"];
const PLAN_LINES = 40;

interface Row {
  load: string;
  p50: number;
  p95: number;
  limit: number;
  growth?: number;
}

/**
 * Measures what users do on an organization of each size, through HTTP on a PostgreSQL cluster of its own. Prints a table
 * in ms, the plans of what is slow at the largest size, and one line of JSON; `growth` is p50 there over p50 at the smallest.
 */
export async function benchScale(): Promise<void> {
  const measured: Row[][] = [];
  for (const [at, issues] of SIZES.entries()) {
    const cluster = await ownCluster();
    try {
      for (const setting of SETTINGS) await runSql(cluster.url, `alter system set ${setting}`);
      cluster.crash();
      cluster.start();
      const key = await fillPostgres(cluster.url, { issues, events: EVENTS });
      for (const setting of EXPLAINS) await runSql(cluster.url, `alter database postgres set ${setting}`);
      measured.push(await measureAll(cluster.url, key, at === SIZES.length - 1 ? cluster.log : undefined));
    } finally {
      cluster.remove();
    }
  }
  const [first, last] = [measured[0] ?? [], measured.at(-1) ?? []];
  const growth = (row: Row, at: number) => Number((row.p50 / (first[at]?.p50 ?? row.p50)).toFixed(2));
  const rows = last.map((row, at) => ({ ...row, growth: growth(row, at) }));
  console.table(rows);
  console.log(JSON.stringify({ bench: "scale", issues: SIZES, events: EVENTS, rows }));
}

/** Runs every operation against a server over a filled database. */
export async function measureAll(url: string, key: string, log?: string): Promise<Row[]> {
  const port = await freePort();
  const env = {
    LOG_LEVEL: "warn",
    GRAPHQL_REQUESTS_PER_HOUR: "off",
    GRAPHQL_COMPLEXITY_PER_HOUR: "off",
    DATABASE_POOL: "2",
  };
  const server = spawnServer({ DATABASE_URL: url, JWT_SECRET: SECRET, PORT: String(port), ...env });
  const address = `http://127.0.0.1:${port}`;
  try {
    while (!(await fetch(`${address}/api/health`).catch(() => undefined))?.ok) await sleep(100);
    const rows: Row[] = [];
    const only = new RegExp(process.env["BENCH_ONLY"] ?? "");
    for (const operation of OPERATIONS.filter(({ name }) => only.test(name))) {
      const row = await measure(`${address}/graphql`, key, operation);
      if (log !== undefined && row.p95 > row.limit)
        console.log(`over its limit: ${JSON.stringify(row)}\n${lastPlan(log)}`);
      rows.push(row);
    }
    return rows;
  } finally {
    await server.stop();
  }
}

async function measure(url: string, key: string, { name, limit, query, variables }: Operation): Promise<Row> {
  const times: number[] = [];
  const headers = { "Content-Type": "application/json", Authorization: key };
  const begun = performance.now();
  for (let round = 0; round < RUNS && (round < 3 || performance.now() - begun < BUDGET_MS); round += 1) {
    const body = JSON.stringify({ query, variables: variables?.(round) ?? {} });
    const start = performance.now();
    const reply = (await (await fetch(url, { method: "POST", headers, body })).json()) as {
      errors?: { message: string }[];
    };
    times.push(performance.now() - start);
    if (reply.errors) console.log(`${name}: ${reply.errors[0]?.message}`);
  }
  times.sort((one, other) => one - other);
  const part = (share: number) => Number((times[Math.ceil(times.length * share) - 1] ?? 0).toFixed(1));
  return { load: name, p50: part(0.5), p95: part(0.95), limit };
}

/** The last plan in a log, without the text of its statement. */
function lastPlan(log: string): string {
  const [, ...plans] = readFileSync(log, "utf8").split(/LOG: {2}duration: .* plan:\n/);
  const lines = (plans.at(-1) ?? "").split("\n");
  const begun = lines.findIndex((line) => /^\t\S.*\(cost=/.test(line));
  return lines
    .slice(begun, begun + PLAN_LINES)
    .map((line) => line.slice(0, 180))
    .join("\n");
}
