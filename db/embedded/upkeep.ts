import type { Database } from "../database.ts";
import { buildNeedsAnalyzeSql } from "../statements/growth.ts";

/**
 * Milliseconds without use after which maintenance runs. Maintenance waits for such an idle time, because all requests
 * must wait while maintenance runs. If the server is never idle, maintenance runs after ten minutes.
 */
const QUIET_MS = 1_000;
const LONGEST_WAIT_MS = 600_000;
/**
 * Milliseconds from a check that found no work to the next check. A table that grew much is analyzed without waiting
 * for an idle time: query plans that were made for a small table read the whole table.
 */
const INTERVAL_MS = { ordinary: 30_000, growth: 5_000 };
/**
 * Duration in milliseconds after which a table counts as too large for vacuum. From then on, maintenance skips the
 * table. Otherwise the limit of 60 s would end the vacuum, and together with the vacuum the engine, again and again.
 */
const TOO_LONG_MS = 50_000;

/**
 * Growth after which a table is analyzed. In an idle time, the thresholds are those of PostgreSQL's autovacuum, which
 * the embedded engine does not have.
 */
const DUE = { ordinary: "some", growth: "much" } as const;

/**
 * Returns SQL that selects the table that most urgently needs maintenance. With `growth`, the table is never vacuumed,
 * because a vacuum takes long.
 */
const next = (due: keyof typeof DUE): string => `
  select name, vacuum from (
    select format('%I.%I', schemaname, relname) as name, n_dead_tup, n_mod_since_analyze, n_live_tup, last_analyze, last_autoanalyze,
      ${due === "ordinary" ? "n_dead_tup > 1000 + 0.2 * n_live_tup" : "false"} as vacuum
    from pg_stat_user_tables) t
  where (vacuum or ${buildNeedsAnalyzeSql(DUE[due])}) and name <> all ($1)
  order by ${due === "ordinary" ? "n_dead_tup" : "n_mod_since_analyze"} desc limit 1`;

/**
 * Vacuums and analyzes tables, one at a time, while the engine is idle. Analyzes fast-growing tables at any time.
 * @returns a function that stops the maintenance
 * @param lastUse returns the time of the engine's last work, in ms of `performance.now()`
 */
export function startMaintenance(
  database: Database,
  lastUse: () => number,
  warn: (message: string) => void,
): () => void {
  const skipped: string[] = [];

  const tendNext = async (due: keyof typeof DUE): Promise<boolean> => {
    const [table] = await database.query<{ name: string; vacuum: boolean }>({ text: next(due), values: [skipped] });
    if (!table) return false;
    const start = performance.now();
    try {
      await database.query({ text: `${table.vacuum ? "vacuum" : "analyze"} ${table.name}` });
    } finally {
      if (performance.now() - start > TOO_LONG_MS) {
        skipped.push(table.name);
        warn(`The table ${table.name} is too large for the embedded database's upkeep; move to PostgreSQL`);
      }
    }
    return true;
  };

  let timer: NodeJS.Timeout;
  let latest = performance.now() + LONGEST_WAIT_MS;
  const again = { ordinary: performance.now() + INTERVAL_MS.ordinary, growth: performance.now() + INTERVAL_MS.growth };
  const round = async () => {
    const now = performance.now();
    const pause = now - lastUse() >= QUIET_MS || now >= latest;
    const due = pause && now >= again.ordinary ? "ordinary" : "growth";
    if (now < again[due]) return plan();
    // If the database is busy, a later round tries again.
    const tended = await database.as("upkeep", () => tendNext(due)).catch(() => false);
    again[due] = tended ? 0 : performance.now() + INTERVAL_MS[due];
    if (due === "ordinary") latest = performance.now() + LONGEST_WAIT_MS;
    plan();
  };
  let stopped = false;
  const plan = () => {
    if (!stopped) timer = setTimeout(round, QUIET_MS).unref();
  };
  plan();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
