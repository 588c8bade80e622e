import { readFileSync } from "node:fs";
import { OPERATIONS, type Operation } from "./operations.ts";

const RUNS = 20;
/** Time budget per operation, in ms. Slow operations run less often. */
const BUDGET_MS = 2_000;
const PLAN_LINES = 40;

/** The duration of an operation and its limit, in ms. */
export interface Row {
  load: string;
  p50: number;
  p95: number;
  limit: number;
  growth?: number;
}

/** A server over a filled database, and a key of the large organization. */
export interface Asked {
  address: string;
  key: string;
  /** The factor by which an operation may exceed its limit. */
  slack?: number;
  /** The log file with the plans of slow statements. */
  log?: string | undefined;
}

/** Runs every operation, and prints the plans of operations that exceed their limit. */
export async function measureAll({ address, key, slack = 1, log }: Asked): Promise<Row[]> {
  const rows: Row[] = [];
  const only = new RegExp(process.env["BENCH_ONLY"] ?? "");
  for (const operation of OPERATIONS.filter(({ name }) => only.test(name))) {
    const row = await measure(`${address}/graphql`, key, { ...operation, limit: operation.limit * slack });
    if (log !== undefined && row.p95 > row.limit)
      console.log(`over its limit: ${JSON.stringify(row)}\n${lastPlan(log)}`);
    rows.push(row);
  }
  return rows;
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
