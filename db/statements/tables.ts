/** A table with the properties that a backup needs. */
export interface TableDescription {
  name: string;
  /** Names in order. */
  columns: string[];
  /** Columns of the primary key in order, with their SQL types. */
  key: { name: string; type: string }[];
}

/** Sends a statement and returns the rows. */
export type ReadRows = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * Returns every table with data, in order of name. Leaves out the tables in `others`, and the lists of migrations,
 * because these lists belong to the release. Raw SQL: reads PostgreSQL's catalogs.
 */
export const listTables = (read: ReadRows, others: readonly string[]): Promise<TableDescription[]> =>
  read<TableDescription>(
    `
    select c.relname as name,
           (select json_agg(a.attname order by a.attnum) from pg_attribute a
             where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
           (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by k.at)
              from pg_index i
              cross join unnest(i.indkey::int2[]) with ordinality k (attnum, at)
              join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
             where i.indrelid = c.oid and i.indisprimary) as key
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not in ('knex_migrations', 'knex_migrations_lock') and c.relname <> all($1::text[])
     order by c.relname`,
    [others],
  );

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
