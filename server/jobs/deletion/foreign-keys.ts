import { knex, toStatement } from "../../../db/builder.ts";
import type { Statement } from "../../../db/open.ts";
import type { Table } from "../../../db/statements/tables.ts";

/** A foreign key: a column of a table that refers to rows of a table. */
interface Reference {
  table: string;
  target: string;
  column: string;
}

/** All foreign keys of the database, but for the column that holds the organization. */
export const referencesOf = (query: (statement: Statement) => Promise<Reference[]>): Promise<Reference[]> =>
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
export function referringFirst(owned: readonly Table[], references: readonly Reference[]): Table[] {
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
