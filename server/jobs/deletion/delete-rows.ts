import { knex, toStatement } from "../../../db/builder.ts";
import type { Statement } from "../../../db/open.ts";
import { type Table, tables } from "../../../db/statements/tables.ts";
import { refilled } from "../../resources/index.ts";

/** Rows that one statement removes: short enough to hold nobody up. */
const SLICE = 5_000;

/** Sends a statement, in a transaction or alone. */
export type Query = <Row>(statement: Statement) => Promise<Row[]>;

/** Rows removed, by table. */
export type Counts = Map<string, number>;

/** Removes the rows of every table that has the organization in it, those that refer to others first. */
export async function deleteRows(query: Query, organizationId: string): Promise<Counts> {
  const all = await tables((text, values = []) => query({ text, values }), [...refilled.keys()]);
  const owned = all.filter((table) => tenantOf(table));
  const references = await referencesOf(query);
  const counts: Counts = new Map();
  for (const table of referringFirst(owned, references)) {
    const own = references.filter((each) => each.table === table.name && each.target === table.name);
    for (const { column } of own) await empty(query, { table, organizationId, column });
    const removed = await drain(query, table, organizationId);
    if (removed > 0) counts.set(table.name, removed);
  }
  return counts;
}

const tenantOf = ({ columns }: Table) =>
  columns.find((name) => name === "organizationId" || name === "organization_id");

/** Empties a column by which rows of a table refer to each other. */
async function empty(
  query: Query,
  { table, organizationId, column }: { table: Table; organizationId: string; column: string },
) {
  await inSlices(() => {
    const some = keysOf(table, organizationId).whereNotNull(column);
    return toStatement(
      knex(table.name)
        .whereIn(keyColumns(table), some)
        .update({ [column]: null }, [column]),
    );
  }, query);
}

const drain = (query: Query, table: Table, organizationId: string): Promise<number> =>
  inSlices(() => {
    const some = keysOf(table, organizationId);
    return toStatement(knex(table.name).whereIn(keyColumns(table), some).delete(keyColumns(table)));
  }, query);

const keyColumns = ({ key }: Table): string[] => key.map(({ name }) => name);

const keysOf = (table: Table, organizationId: string) =>
  knex(table.name)
    .where({ [tenantOf(table) ?? ""]: organizationId })
    .select(keyColumns(table))
    .limit(SLICE);

async function inSlices(statement: () => Statement, query: Query): Promise<number> {
  let total = 0;
  for (let slice = SLICE; slice === SLICE; total += slice) slice = (await query(statement())).length;
  return total;
}

/** A foreign key: a column of a table that refers to rows of a table. */
interface Reference {
  table: string;
  target: string;
  column: string;
}

/** All foreign keys of the database, but for the column that holds the organization. */
const referencesOf = (query: (statement: Statement) => Promise<Reference[]>): Promise<Reference[]> =>
  query(
    toStatement(
      knex("pg_constraint as c")
        .joinRaw("cross join lateral unnest(c.conkey) k (attnum)")
        .join("pg_attribute as a", { "a.attrelid": "c.conrelid", "a.attnum": "k.attnum" })
        .join("pg_class as t", "t.oid", "c.conrelid")
        .join("pg_class as u", "u.oid", "c.confrelid")
        .where("c.contype", "f")
        .whereNot("a.attname", "organizationId")
        .select("t.relname as table", "u.relname as target", "a.attname as column"),
    ),
  );

/** Tables in an order in which each comes before those it refers to. @throws Error for a circle of tables */
function referringFirst(owned: readonly Table[], references: readonly Reference[]): Table[] {
  const left = new Map(owned.map((table) => [table.name, table]));
  const sorted: Table[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter(
      ({ name }) => !references.some((each) => each.target === name && each.table !== name && left.has(each.table)),
    );
    if (free.length === 0) throw new Error(`tables refer to each other in a circle: ${[...left.keys()].join(", ")}`);
    for (const table of free) left.delete(table.name);
    sorted.push(...free);
  }
  return sorted;
}
