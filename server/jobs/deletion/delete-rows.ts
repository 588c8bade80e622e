import { knex, toStatement } from "../../../db/builder.ts";
import type { Statement } from "../../../db/open.ts";
import { type Table, tables } from "../../../db/statements/tables.ts";
import { refilled } from "../../resources/index.ts";
import { referencesOf, referringFirst } from "./foreign-keys.ts";

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
