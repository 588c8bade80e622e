import type { ClientBase } from "pg";
import type { Statement } from "../database.ts";
import { CannotOpen } from "../errors/cannot-open.ts";

/**
 * The place where Citus keeps a table: cut in shards by organization, whole on every node, or on the coordinator alone.
 */
type Placement = "distributed" | "reference" | "local";

/** A table, and where it belongs and is. */
export interface PlacedTable {
  name: string;
  /** The column that names its organization. Of distributed tables. */
  tenant: string | null;
  wanted: Placement;
  found: Placement;
}

/**
 * Tables that only the coordinator reads and writes: counters of attempts, and the lists of migrations.
 */
const LOCAL = ["throttle", "knex_migrations", "knex_migrations_lock"];

/**
 * Raw SQL: it reads the catalogs. A table whose key begins with the organization is distributed by it. What is found by
 * something else, such as the hash of a key, stands whole on every node.
 */
const tables = (found: string) => `
  select c.relname as name,
         case when a.attname in ('organizationId', 'organization_id') then a.attname end as tenant,
         case when c.relname = any($1::text[]) then 'local'
              when a.attname in ('organizationId', 'organization_id') then 'distributed' else 'reference' end as wanted,
         ${found} as found
    from pg_class c
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = (i.indkey::int2[])[0]
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
   order by c.relname`;

const FOUND = `coalesce((select case p.partmethod when 'h' then 'distributed' when 'n' then 'reference' end
  from pg_dist_partition p where p.logicalrelid = c.oid), 'local')`;

/** The place of each table, by its declaration, in a database without Citus too. */
export const wantedPlacements: Statement = { text: tables("'local'"), values: [LOCAL] };

/** True when Citus is installed in the database behind a connection. */
export async function hasCitus(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'");
  return rows.length > 0;
}

/** Every table of a database with Citus. */
export async function placements(client: ClientBase): Promise<PlacedTable[]> {
  const { rows } = await client.query<PlacedTable>(tables(FOUND), [LOCAL]);
  return rows;
}

/**
 * True when Citus distributes the tables over several nodes.
 * @throws CannotOpen when some are and others not, as after an upgrade that made a table
 */
export async function isDistributed(client: ClientBase): Promise<boolean> {
  if (!(await hasCitus(client))) return false;
  const tables = await placements(client);
  const misplaced = tables.filter(({ wanted, found }) => wanted !== found).map(({ name }) => name);
  if (tables.every(({ found }) => found === "local")) return false;
  if (misplaced.length === 0) return true;
  throw new CannotOpen(
    `DATABASE_URL: some tables are distributed by Citus and others are not (${misplaced.join(", ")}); ` +
      "run npm run admin -- distribute --apply",
  );
}
