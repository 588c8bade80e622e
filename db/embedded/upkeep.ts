import type { Database } from "../database.ts";
import { grewBy } from "../statements/growth.ts";

/** Upkeep waits for so long a pause, since everyone waits for it; on a server without pauses for ten minutes. */
const QUIET_MS = 1_000;
const LONGEST_WAIT_MS = 600_000;
/**
 * The pause after a pass without work. Tables that grew much are analysed without a pause: plans made while a table was
 * small read all of it until then.
 */
const INTERVAL_MS = { ordinary: 30_000, growth: 5_000 };
/** A table whose vacuum takes this long would only end the engine at the limit of 60 s, again and again. */
const TOO_LONG_MS = 50_000;

/** By how much a table has to have grown: in a pause as autovacuum measures, which the engine has not. */
const DUE = { ordinary: "some", growth: "much" } as const;

/** The table most in need. When growth alone counts, nothing is vacuumed, which takes long. */
const next = (due: keyof typeof DUE): string => `
  select name, vacuum from (
    select format('%I.%I', schemaname, relname) as name, n_dead_tup, n_mod_since_analyze, n_live_tup, last_analyze, last_autoanalyze,
      ${due === "ordinary" ? "n_dead_tup > 1000 + 0.2 * n_live_tup" : "false"} as vacuum
    from pg_stat_user_tables) t
  where (vacuum or ${grewBy(DUE[due])}) and name <> all ($1)
  order by ${due === "ordinary" ? "n_dead_tup" : "n_mod_since_analyze"} desc limit 1`;

/**
 * Vacuums and analyses tables, one at a time, when no one else uses the engine; those that grow while it is in use, then.
 * @param lastUse when the engine last did something, by `performance.now()`
 * @returns the way to stop
 */
export function startUpkeep(database: Database, lastUse: () => number, warn: (message: string) => void): () => void {
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
    // The database may be busy: a later round tries again.
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
