import type { Database } from "../../../db/open.ts";
import { SCANNED, type Scanned } from "./columns.ts";

/** A column with its SQL type. */
export interface Column {
  name: string;
  type: string;
}

/** A table as the command goes through it: `key` is the rest of its primary key behind the organization. */
export interface Target extends Pick<Scanned, "at" | "most"> {
  name: string;
  tenant: string;
  key: readonly Column[];
  columns: readonly Column[];
}

interface Found extends Column {
  table: string;
  place: number | null;
}

/**
 * Raw SQL: it reads PostgreSQL's catalogs. Every column of the schema that may hold text, and those of primary keys with
 * their place in it.
 */
const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
         array_position(i.indkey::int2[], a.attnum) as place
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname not in ('knex_migrations', 'knex_migrations_lock')
   order by c.relname, a.attnum`;

const HOLDS_TEXT = /^(?:text|character varying|json|jsonb)(?:\[\])?$/;
const TENANTS = ["organizationId", "organization_id"];

/** Columns of text and JSON in every table, as `table.column`. */
export async function textColumns(db: Database): Promise<string[]> {
  const all = await db.query<Found>({ text: COLUMNS });
  return all.filter(({ type }) => HOLDS_TEXT.test(type)).map(({ table, name }) => `${table}.${name}`);
}

/** The tables that hold texts, in the order in which they are declared. */
export async function targets(db: Database): Promise<Target[]> {
  const all = await db.query<Found>({ text: COLUMNS });
  return Object.entries(SCANNED).map(([table, { columns, ...rest }]) => {
    const own = all.filter((column) => column.table === table);
    const tenant = own.find(({ name }) => TENANTS.includes(name))?.name ?? "";
    const key = own
      .filter(({ name, place }) => place !== null && name !== tenant)
      .sort((one, other) => (one.place ?? 0) - (other.place ?? 0));
    const scanned = own.filter(({ name }) => columns.includes(name));
    return { name: table, tenant, key, columns: scanned, ...rest };
  });
}
