import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Statement, Transaction } from "../../../db/open.ts";
import { quoted } from "../../../db/statements/tables.ts";
import { readOwn } from "../../../formats/own.ts";
import { SCANNED, type Scanned } from "./columns.ts";

/** A column with its SQL type. */
interface Column {
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

/** A row of a table: its key behind the organization, and its columns as text. */
export interface Row {
  key: string[];
  values: Record<string, string | null>;
}

/** A row of a page: if it was written since the given moment, and its length. */
export interface Place {
  key: string[];
  isDue: boolean;
  bytes: number;
}

const own = ({ name }: Column): string => `t.${quoted(name)}`;
const asText = ({ key }: Target): string => `array[${key.map((column) => `${own(column)}::text`).join()}] as key`;
const keyOf = ({ key }: Target): string => `(${key.map(own).join()})`;

/** Raw SQL, as all of this: which tables and columns there are is declared. The next rows of an organization behind a key. */
export function nextPlaces(target: Target, page: { tenant: string; since: Date; after: string[]; size: number }) {
  const { name, tenant, key, columns, at } = target;
  const behind = key.map(({ type }, index) => `$${index + 3}::${type}`).join();
  return {
    text: `select ${asText(target)}, ${at ? `coalesce(${at} >= $2, true)` : "$2::timestamptz is not null"} as "isDue",
        (${columns.map((column) => `coalesce(octet_length(${own(column)}::text), 0)`).join(" + ")})::float8 as bytes
      from ${quoted(name)} t
      where t.${quoted(tenant)} = $1 ${page.after.length > 0 ? `and ${keyOf(target)} > (${behind})` : ""}
      order by ${key.map(own).join()} limit ${page.size}`,
    values: [page.tenant, page.since, ...page.after],
  };
}

/** The rows with some keys; `more` are further values by name. Those that are to be changed are locked. */
export function readRows(target: Target, { tenant, keys, more = {}, isLocked = false }: ReadOptions): Statement {
  const { name, key, columns } = target;
  const values = [...columns.map((column) => [column.name, own(column)]), ...Object.entries(more)];
  const members = values.map(([label, sql]) => `'${label}', (${sql})::text`).join();
  const lists = key.map(({ type }, index) => `$${index + 2}::${type}[]`).join();
  return {
    text: `select ${asText(target)}, json_build_object(${members}) as values
      from unnest(${lists}) n (${key.map((column) => quoted(column.name)).join()})
      join ${quoted(name)} t on ${key.map((column) => `${own(column)} = n.${quoted(column.name)}`).join(" and ")}
      where t.${quoted(target.tenant)} = $1 ${isLocked ? "for update of t" : ""}`,
    values: [tenant, ...key.map((_, index) => keys.map((each) => each[index]))],
  };
}

interface ReadOptions {
  tenant: string;
  keys: readonly string[][];
  more?: Readonly<Record<string, string>>;
  isLocked?: boolean;
}

/** A row to change, and its new values by column. */
interface Patch {
  tenant: string;
  key: readonly string[];
  values: Readonly<Record<string, string | null>>;
}

/** Changes a row. One that would get the key of another, which says the same by now, gives way to it. */
export async function writeRow(trx: Transaction, target: Target, { tenant, key, values }: Patch): Promise<void> {
  const { name, key: columns } = target;
  const own = { [target.tenant]: tenant, ...Object.fromEntries(columns.map((column, at) => [column.name, key[at]])) };
  const next = { ...own, ...Object.fromEntries(columns.flatMap((column) => pick(values, column.name))) };
  const isMoved = columns.some((column) => Object.hasOwn(values, column.name));
  const there = isMoved ? await trx.query(toStatement(knex(name).where(next).select(target.tenant))) : [];
  const row = knex(name).where(own);
  await trx.query(toStatement(there.length > 0 ? row.delete() : row.update(values)));
}

const pick = <Value>(values: Readonly<Record<string, Value>>, name: string) =>
  Object.hasOwn(values, name) ? [[name, readOwn(values, name)] as const] : [];
