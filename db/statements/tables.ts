/** A table as a backup needs to know it. */
export interface Table {
  name: string;
  /** Names in their order. */
  columns: string[];
  /** Columns of the primary key with their SQL types, in its order. */
  key: { name: string; type: string }[];
}

/** Sends one statement and resolves to its rows. */
export type Read = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * Every table there is data in, by name: all of the schema but the lists of migrations, which belong to
 * the release, and `others`.
 * Raw SQL: it reads PostgreSQL's catalogs.
 */
export const tables = (read: Read, others: readonly string[]): Promise<Table[]> =>
  read<Table>(
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

/** Quotes a name for SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
