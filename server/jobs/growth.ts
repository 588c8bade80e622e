import { PartRunner } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { buildNeedsAnalyzeSql } from "../../db/statements/growth.ts";

/**
 * Raw SQL, like all statements here; docs/database.md explains why. Returns the table that grew most. Leaves out the
 * tables $1, which this pass has already returned.
 */
const NEXT = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where schemaname = current_schema() and ${buildNeedsAnalyzeSql("much")} and format('%I.%I', schemaname, relname) <> all($1::text[])
    and pg_has_role((select relowner from pg_class where oid = relid), 'usage')
  order by n_mod_since_analyze desc limit 1`;

/**
 * Makes ANALYZE read only a quarter of the rows that PostgreSQL samples by default, like the embedded engine, and pause
 * between pages. Otherwise a core would be busy for half a second; autovacuum samples all of those rows later. One
 * SELECT sets both options, because a prepared statement cannot contain two statements.
 */
const GENTLY =
  "select set_config('default_statistics_target', '25', true), set_config('vacuum_cost_delay', '2ms', true)";

/**
 * Analyzes tables that grew much, one table at a time. Until the analysis, PostgreSQL uses plans from when the table
 * was small, which scan the whole table. Autovacuum would analyze the table only a minute later. A failure affects only
 * a single table. The embedded engine analyzes tables itself. Resolves with the number of analyzed tables.
 */
export async function analyzeGrownTables(db: Database): Promise<number> {
  const attempts = new PartRunner();
  let count = 0;
  // PostgreSQL may update its row counts late. A pass therefore analyzes a table only once, and the next pass checks
  // the table again.
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
