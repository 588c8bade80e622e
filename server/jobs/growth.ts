import { Attempts } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { grewBy } from "../../db/statements/growth.ts";

/** Raw SQL, as all of this: docs/database.md says why. The table that grew most, without the tables $1 of this pass. */
const NEXT = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where schemaname = current_schema() and ${grewBy("much")} and format('%I.%I', schemaname, relname) <> all($1::text[])
    and pg_has_role((select relowner from pg_class where oid = relid), 'usage')
  order by n_mod_since_analyze desc limit 1`;

/**
 * A quarter of the rows that PostgreSQL's default reads, as the embedded engine does, with pauses between pages: a core is
 * busy for half a second otherwise. Autovacuum reads all of those rows later. One statement: a prepared one cannot be two.
 */
const GENTLY =
  "select set_config('default_statistics_target', '25', true), set_config('vacuum_cost_delay', '2ms', true)";

/**
 * Analyzes tables that grew much, one at a time: plans that were made while one was small read all of it until then, and
 * autovacuum comes a minute later. Each table fails alone. The embedded engine analyzes its tables itself. Resolves with the
 * number of analyzed tables.
 */
export async function analyzeGrown(db: Database): Promise<number> {
  const attempts = new Attempts();
  let count = 0;
  // PostgreSQL's counts may come late: a table of this pass is checked again in the next one.
  for (const seen: string[] = []; ; ) {
    const [table] = await db.query<{ name: string }>({ text: NEXT, values: [seen] });
    if (!table) break;
    seen.push(table.name);
    count += await attempts.run({ table: table.name }, () => analyze(db, table.name));
  }
  attempts.end();
  return count;
}

const analyze = (db: Database, table: string): Promise<number> =>
  db.transaction(async (trx) => {
    await trx.query({ text: GENTLY });
    await trx.query({ text: `analyze ${table}` });
    return 1;
  });
