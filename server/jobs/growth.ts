import type { Database } from "../../db/open.ts";
import { grewBy } from "../../db/statements/growth.ts";

/** Raw SQL, as all of this: docs/database.md says why. The table most in need of those that grew much. */
const NEXT = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where schemaname = current_schema() and ${grewBy("much")}
    and pg_has_role((select relowner from pg_class where oid = relid), 'usage')
  order by n_mod_since_analyze desc limit 1`;

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
    await db.query({ text: `analyze ${table.name}` });
    last = table.name;
  }
}
