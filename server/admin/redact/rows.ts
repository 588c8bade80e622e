import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Statement, Transaction } from "../../../db/open.ts";
import { quoteName } from "../../../db/statements/tables.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { SCANNED_TABLES, type ScannedTable } from "./columns.ts";

interface Column {
  name: string;
  type: string;
}

/** A table to scan. `key` is the primary key without the organization column. */
export interface TableToScan extends Pick<ScannedTable, "at" | "most"> {
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
 * Raw SQL: reads PostgreSQL's catalogs. Lists every column of the schema, with the column's type and the column's
 * position in the primary key.
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

/** Names of the text and JSON columns of every table, as `table.column`. */
export async function readTextColumnNames(db: Database): Promise<string[]> {
  const all = await db.query<Found>({ text: COLUMNS });
  return all.filter(({ type }) => HOLDS_TEXT.test(type)).map(({ table, name }) => `${table}.${name}`);
}

/** The tables to scan, in the order of `SCANNED_TABLES`. */
export async function readTablesToScan(db: Database): Promise<TableToScan[]> {
  const all = await db.query<Found>({ text: COLUMNS });
  return Object.entries(SCANNED_TABLES).map(([table, { columns, ...rest }]) => {
    const own = all.filter((column) => column.table === table);
    const tenant = own.find(({ name }) => TENANTS.includes(name))?.name ?? "";
    const key = own
      .filter(({ name, place }) => place !== null && name !== tenant)
      .sort((one, other) => (one.place ?? 0) - (other.place ?? 0));
    const scanned = own.filter(({ name }) => columns.includes(name));
    return { name: table, tenant, key, columns: scanned, ...rest };
  });
}

/** A row of a table: the row's key without the organization, and the row's columns as text. */
export interface ScannedRow {
  key: string[];
  values: Record<string, string | null>;
}

/**
 * A row of a page. `isDue` is true if the row was written since the given time. `bytes` is the length of the row's
 * content.
 */
export interface RowKeyAndSize {
  key: string[];
  isDue: boolean;
  bytes: number;
}

const own = ({ name }: Column): string => `t.${quoteName(name)}`;
const asText = ({ key }: TableToScan): string => `array[${key.map((column) => `${own(column)}::text`).join()}] as key`;
const keyOf = ({ key }: TableToScan): string => `(${key.map(own).join()})`;

/**
 * Raw SQL, as in this whole file, because `SCANNED_TABLES` declares the tables and columns. Returns a statement that
 * reads an organization's next rows after a key.
 */
export function buildNextRowKeysStatement(
  target: TableToScan,
  page: { tenant: string; since: Date; after: string[]; size: number },
) {
  const { name, tenant, key, columns, at } = target;
  const behind = key.map(({ type }, index) => `$${index + 3}::${type}`).join();
  return {
    text: `select ${asText(target)}, ${at ? `coalesce(${at} >= $2, true)` : "$2::timestamptz is not null"} as "isDue",
        (${columns.map((column) => `coalesce(octet_length(${own(column)}::text), 0)`).join(" + ")})::float8 as bytes
      from ${quoteName(name)} t
      where t.${quoteName(tenant)} = $1 ${page.after.length > 0 ? `and ${keyOf(target)} > (${behind})` : ""}
      order by ${key.map(own).join()} limit ${page.size}`,
    values: [page.tenant, page.since, ...page.after],
  };
}

/**
 * Returns a statement that reads the rows with the given keys. `more` adds SQL expressions for further values, by name.
 * `isLocked` locks the rows for a change.
 */
export function buildReadRowsStatement(
  target: TableToScan,
  { tenant, keys, more = {}, isLocked = false }: ReadOptions,
): Statement {
  const { name, key, columns } = target;
  const values = [...columns.map((column) => [column.name, own(column)]), ...Object.entries(more)];
  const members = values.map(([label, sql]) => `'${label}', (${sql})::text`).join();
  const lists = key.map(({ type }, index) => `$${index + 2}::${type}[]`).join();
  return {
    text: `select ${asText(target)}, json_build_object(${members}) as values
      from unnest(${lists}) n (${key.map((column) => quoteName(column.name)).join()})
      join ${quoteName(name)} t on ${key.map((column) => `${own(column)} = n.${quoteName(column.name)}`).join(" and ")}
      where t.${quoteName(target.tenant)} = $1 ${isLocked ? "for update of t" : ""}`,
    values: [tenant, ...key.map((_, index) => keys.map((each) => each[index]))],
  };
}

interface ReadOptions {
  tenant: string;
  keys: readonly string[][];
  more?: Readonly<Record<string, string>>;
  isLocked?: boolean;
}

/** New values for one row, by column. */
interface Patch {
  tenant: string;
  key: readonly string[];
  values: Readonly<Record<string, string | null>>;
}

/**
 * Updates a row. The new values may change the row's key. If another row already has the new key, both rows now have
 * the same meaning, and the updated row is deleted.
 */
export async function updateRedactedRow(
  trx: Transaction,
  target: TableToScan,
  { tenant, key, values }: Patch,
): Promise<void> {
  const { name, key: columns } = target;
  const own = { [target.tenant]: tenant, ...Object.fromEntries(columns.map((column, at) => [column.name, key[at]])) };
  const next = { ...own, ...Object.fromEntries(columns.flatMap((column) => pick(values, column.name))) };
  const isMoved = columns.some((column) => Object.hasOwn(values, column.name));
  const there = isMoved ? await trx.query(toStatement(knex(name).where(next).select(target.tenant))) : [];
  const row = knex(name).where(own);
  await trx.query(toStatement(there.length > 0 ? row.delete() : row.update(values)));
}

const pick = <Value>(values: Readonly<Record<string, Value>>, name: string) =>
  Object.hasOwn(values, name) ? [[name, getOwnProperty(values, name)] as const] : [];
