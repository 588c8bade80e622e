import { PartRunner } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { buildGrowthSql } from "../../db/statements/growth.ts";

/**
 * Raw SQL, like all statements here; docs/database.md explains why. Returns the table that grew most, except the tables
 * $1 of this pass.
 */
const NEXT = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where schemaname = current_schema() and ${buildGrowthSql("much")} and format('%I.%I', schemaname, relname) <> all($1::text[])
    and pg_has_role((select relowner from pg_class where oid = relid), 'usage')
  order by n_mod_since_analyze desc limit 1`;

/**
 * Reads a quarter of the rows that PostgreSQL samples by default, like the embedded engine, with pauses between pages.
 * Otherwise a core would be busy for half a second. Autovacuum samples all of those rows later. One statement sets
 * both, because a prepared statement cannot contain two.
 */
const GENTLY =
  "select set_config('default_statistics_target', '25', true), set_config('vacuum_cost_delay', '2ms', true)";

/**
 * Analyzes tables that grew much, one table at a time. Until the analysis, plans from when a table was small scan the
 * whole table, and autovacuum runs only a minute later. A failure affects only a single table. The embedded engine
 * analyzes tables itself. Resolves with the number of analyzed tables.
 */
export async function analyzeGrown(db: Database): Promise<number> {
  const attempts = new PartRunner();
  let count = 0;
  // PostgreSQL's counts may be delayed. A table of this pass is checked again in the next pass.
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
