import type { ClientBase } from "pg";
import type { Statement } from "../database.ts";
import { DatabaseOpenError } from "../errors/cannot-open.ts";

/**
 * The place where Citus stores a table: in shards by organization, as a complete copy on every node, or only on the
 * coordinator.
 */
type Placement = "distributed" | "reference" | "local";

/** A table with the required and the current placement. */
export interface PlacedTable {
  name: string;
  /** Name of the column with the organization's id; null for a table that is not distributed. */
  tenant: string | null;
  wanted: Placement;
  found: Placement;
}

/**
 * Tables that only the coordinator reads and writes: `throttle`, which counts attempts, and knex's lists of migrations.
 */
const LOCAL = ["throttle", "knex_migrations", "knex_migrations_lock"];

/**
 * Raw SQL: reads PostgreSQL's catalogs. A table whose primary key begins with the organization is distributed by
 * organization. A table with any other key, for example the hash of an API key, is copied to every node.
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

/** Query for the required placement of each table. The query also works in a database without Citus. */
export const requiredPlacementsStatement: Statement = { text: tables("'local'"), values: [LOCAL] };

/** Returns true if Citus is installed in the database. */
export async function hasCitus(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'");
  return rows.length > 0;
}

/** Returns every table with its required and its current placement. The database must have Citus. */
export async function readPlacements(client: ClientBase): Promise<PlacedTable[]> {
  const { rows } = await client.query<PlacedTable>(tables(FOUND), [LOCAL]);
  return rows;
}

/**
 * Returns true if Citus distributes the tables over several nodes.
 * @throws DatabaseOpenError if only some tables are distributed, for example after an upgrade that created a table
 */
export async function isDistributed(client: ClientBase): Promise<boolean> {
  if (!(await hasCitus(client))) return false;
  const tables = await readPlacements(client);
  const misplaced = tables.filter(({ wanted, found }) => wanted !== found).map(({ name }) => name);
  if (tables.every(({ found }) => found === "local")) return false;
  if (misplaced.length === 0) return true;
  throw new DatabaseOpenError(
    `DATABASE_URL: some tables are distributed by Citus and others are not (${misplaced.join(", ")}); ` +
      "run npm run admin -- distribute --apply",
  );
}
