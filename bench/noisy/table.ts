import type { ExpensiveDocument } from "../../test/support/graphql/dearest-documents.ts";
import { readCpuTime } from "../support/cpu.ts";
import type { Place } from "./bench.ts";

/** The most expensive document of a root field: its points, its CPU time, and the CPU time per point. */
export interface Row {
  root: string;
  points: number;
  cpuMs: number;
  msPerPoint: number;
  longestMs: number;
  query: string;
}

/** A tick of /proc is 10 ms. A document runs until it has used `ENOUGH_MS`, or `MOST_RUNS` times. */
const [ENOUGH_MS, MOST_RUNS] = [50, 3];

/** Finds the document with the most CPU time per point for each root field, worst first. */
export async function findExpensiveDocuments(place: Place, documents: readonly ExpensiveDocument[]): Promise<Row[]> {
  const worst = new Map<string, Row>();
  for (const document of documents) {
    const row = await measure(place, document);
    if (!row) continue;
    const known = worst.get(row.root);
    const longestMs = Math.max(row.longestMs, known?.longestMs ?? 0);
    worst.set(row.root, { ...(known && known.msPerPoint >= row.msPerPoint ? known : row), longestMs });
  }
  return [...worst.values()].sort((one, other) => other.msPerPoint - one.msPerPoint);
}

async function measure({ hostile, pids }: Place, { root, query }: ExpensiveDocument): Promise<Row | undefined> {
  const cpu = () => pids.reduce((sum, pid) => sum + readCpuTime(pid), 0) / 1_000;
  const before = cpu();
  let runs = 0;
  let points = 0;
  while (runs === 0 || (runs < MOST_RUNS && cpu() - before < ENOUGH_MS)) {
    const { headers, errors, status } = await hostile.graphql(query);
    runs += 1;
    points = Number(headers.get("X-Complexity"));
    const code = errors?.[0]?.extensions["code"];
    // The server refused the document before running it, or found no entity with the id.
    if (errors && status !== 503 && code !== "INTERNAL_SERVER_ERROR") {
      if (code === "GRAPHQL_VALIDATION_FAILED") console.log(`${errors[0]?.message}: ${query}`);
      return undefined;
    }
  }
  const round = (value: number) => Number(value.toFixed(2));
  const cpuMs = (cpu() - before) / runs;
  return {
    root,
    points,
    cpuMs: round(cpuMs),
    msPerPoint: round(cpuMs / Math.max(points, 1)),
    longestMs: round(cpuMs),
    query,
  };
}
