import type { Database } from "../database.ts";

const INTERVAL_MS = 30_000;
/** Upkeep waits for so long a pause, since everyone waits for it; on a server without pauses for ten minutes. */
const QUIET_MS = 1_000;
const LONGEST_WAIT_MS = 600_000;
/** A table whose vacuum takes this long would only end the engine at the limit of 60 s, again and again. */
const TOO_LONG_MS = 50_000;

/** The table most in need, by autovacuum's own measures; the engine runs none. */
const NEXT = `
  select format('%I.%I', schemaname, relname) as name, n_dead_tup > 1000 + 0.2 * n_live_tup as vacuum
  from pg_stat_user_tables
  where (n_dead_tup > 1000 + 0.2 * n_live_tup or n_mod_since_analyze > 250 + 0.1 * n_live_tup)
    and format('%I.%I', schemaname, relname) <> all ($1)
  order by n_dead_tup desc limit 1`;

/**
 * Vacuums and analyses tables, one at a time, when no one else uses the engine.
 * @param lastUse when the engine last did something, by `performance.now()`
 * @returns the way to stop
 */
export function startUpkeep(database: Database, lastUse: () => number, warn: (message: string) => void): () => void {
  const skipped: string[] = [];

  const tendNext = async (): Promise<boolean> => {
    const [table] = await database.query<{ name: string; vacuum: boolean }>({ text: NEXT, values: [skipped] });
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
  const round = async () => {
    const now = performance.now();
    if (now - lastUse() < QUIET_MS && now < latest) return plan(QUIET_MS);
    // The database may be busy: the next round tries again.
    const tended = await database.as("upkeep", tendNext).catch(() => false);
    latest = performance.now() + LONGEST_WAIT_MS;
    plan(tended ? QUIET_MS : INTERVAL_MS);
  };
  let stopped = false;
  const plan = (pause: number) => {
    if (!stopped) timer = setTimeout(round, pause).unref();
  };
  plan(INTERVAL_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
