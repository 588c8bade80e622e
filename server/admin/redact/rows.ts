import { knex, toStatement } from "../../../db/builder.ts";
import type { Statement, Transaction } from "../../../db/open.ts";
import { quoted } from "../../../db/statements/tables.ts";
import type { Column, Target } from "./catalog.ts";

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
export interface Patch {
  tenant: string;
  key: readonly string[];
  values: Readonly<Record<string, string | null>>;
}

/** Changes a row. One that would get the key of another, which says the same by now, gives way to it. */
export async function writeRow(trx: Transaction, target: Target, { tenant, key, values }: Patch): Promise<void> {
  const { name, key: columns } = target;
  const own = { [target.tenant]: tenant, ...Object.fromEntries(columns.map((column, at) => [column.name, key[at]])) };
  const next = { ...own, ...Object.fromEntries(columns.flatMap((column) => pick(values, column.name))) };
  const isMoved = columns.some((column) => column.name in values);
  const there = isMoved ? await trx.query(toStatement(knex(name).where(next).select(target.tenant))) : [];
  const row = knex(name).where(own);
  await trx.query(toStatement(there.length > 0 ? row.delete() : row.update(values)));
}

const pick = <Value>(values: Readonly<Record<string, Value>>, name: string) =>
  name in values ? [[name, values[name]] as const] : [];
