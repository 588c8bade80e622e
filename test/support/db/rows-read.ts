import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../../../server/app.ts";

type Reads = Map<string, { rows: number; found: number }>;

/**
 * Counts rows read by sequential scans and by indexes, and uses of indexes, per table, according to PostgreSQL's
 * statistics.
 */
async function reads({ runtime: { db } }: App, tables: readonly string[]): Promise<Reads> {
  const counted = await db.query<{ name: string; rows: number; found: number }>({
    text: `select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows, coalesce(idx_scan, 0)::float8 as found
      from pg_stat_user_tables where relname = any($1)`,
    values: [tables],
  });
  return new Map(counted.map((row) => [row.name, row]));
}

/**
 * Minimum number of repetitions of the work. A statement that scans a table does so each time; a job of the server
 * scans only once or twice.
 */
const TIMES = 6;

/**
 * Returns the tables of `size` rows that some work scans. Repeats the work until the statistics contain a read of
 * each table.
 */
export async function findScannedTables(
  app: App,
  { tables, size }: { tables: readonly string[]; size: number },
  work: () => Promise<void>,
): Promise<[string, number][]> {
  const before = await reads(app, tables);
  const of = (now: Reads, name: string, what: "rows" | "found") =>
    (now.get(name)?.[what] ?? 0) - (before.get(name)?.[what] ?? 0);
  // Each connection reports to the statistics about once a second.
  for (let times = 1; times <= 60; times += 1) {
    await work();
    await sleep(200);
    const now = await reads(app, tables);
    if (times >= TIMES && tables.every((name) => of(now, name, "found") > 2))
      return tables
        .map((name): [string, number] => [name, of(now, name, "rows")])
        .filter(([, rows]) => rows >= (TIMES / 2) * size);
  }
  throw new Error("some tables were not looked at");
}
