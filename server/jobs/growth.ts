import type { Database } from "../../db/open.ts";
import { grewBy } from "../../db/statements/growth.ts";

/** Raw SQL, as all of this: docs/database.md says why. The table most in need of those that grew much. */
const NEXT = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where schemaname = current_schema() and ${grewBy("much")}
    and pg_has_role((select relowner from pg_class where oid = relid), 'usage')
  order by n_mod_since_analyze desc limit 1`;

/**
 * A quarter of the rows that PostgreSQL's default reads, as the embedded engine does, with pauses between pages: a core is
 * busy for half a second otherwise. Autovacuum reads all of those rows later.
 */
const GENTLY = "set local default_statistics_target = 25; set local vacuum_cost_delay = '2ms'";

/**
 * Analyses tables that grew much, one at a time: plans that were made while one was small read all of it until then, and
 * autovacuum comes a minute later. The embedded engine looks after itself. Answers how many there were.
 */
export async function analyzeGrown(db: Database): Promise<number> {
  let count = 0;
  for (let last = ""; ; count += 1) {
    const [table] = await db.query<{ name: string }>({ text: NEXT });
    // Counts of a table may come late: then it is checked again the next time.
    if (!table || table.name === last) return count;
    await db.transaction(async (trx) => {
      await trx.query({ text: GENTLY });
      await trx.query({ text: `analyze ${table.name}` });
    });
    last = table.name;
  }
}
