import type { SqlRow, ToMany } from "./entity.ts";
import { column, inTenant, organization } from "./row.ts";

/** FROM and WHERE that reach the rows of a to-many link; `source` is null at the root of a query, where rows are computed from nothing. */
export interface Reach {
  from: string;
  where: string;
}

/**
 * SQL that reaches the rows of a to-many link. Joins that `row` needs for conditions must be added before the call.
 * `each`: the source is a page of rows in the same FROM. Then the pairs of each are looked up by themselves: OFFSET 0 keeps
 * PostgreSQL from joining the page with every pair of the organization, which it takes for an average one: scale.test
 * ("newest") fails without it.
 */
export function reach(row: SqlRow, source: SqlRow | null, link: ToMany, mode?: "each"): Reach {
  if (link.rows) return { from: `(${link.rows(source ?? row)}) ${row.alias}`, where: "true" };
  const table = `"${row.entity.table}" ${row.alias}`;
  const conditions = [inTenant(row)];
  if (link.where) conditions.push(link.where(row, source));
  if (link.by && source) conditions.push(`${column(row, link.by)} = ${column(source, "id")}`);
  if (!link.through || !source) return { from: table, where: conditions.join(" and ") };
  const { table: linkTable, from, to } = link.through;
  const alias = `l${row.alias}`;
  const pairs = `${alias}."organizationId" = ${organization(row.build)} and ${alias}."${from}" = ${column(source, "id")}`;
  const on = `join ${table} on ${column(row, "id")} = ${alias}."${to}"`;
  if (mode === "each") {
    const each = `lateral (select ${alias}."${to}" from "${linkTable}" ${alias} where ${pairs} offset 0) ${alias}`;
    return { from: `${each} ${on}`, where: conditions.join(" and ") };
  }
  return { from: `"${linkTable}" ${alias} ${on}`, where: [...conditions, pairs].join(" and ") };
}

/** The condition that a row is shown in lists that were not asked for archived ones. */
export function visible(row: SqlRow): string {
  if (row.entity.hidden) return `not ${row.entity.hidden(row)}`;
  return row.entity.columns.archivedAt ? `${column(row, "archivedAt")} is null` : "true";
}
