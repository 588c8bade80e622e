import type { SqlRow, ToMany } from "./entity.ts";
import { column, inTenantSql, organization } from "./row.ts";

/**
 * FROM and WHERE clauses for the rows of a to-many link. `source` is null at the root of a query, where computed rows
 * depend on no row.
 */
export interface Reach {
  from: string;
  where: string;
}

/**
 * Returns SQL that reaches the rows of a to-many link. Joins that `row` needs for conditions must be added before the
 * call. With `each`, the source is a page of rows in the same FROM clause, and the SQL looks up the pairs of each
 * source row separately. For `each`, OFFSET 0 stops PostgreSQL from joining the page with all pairs of the
 * organization: PostgreSQL estimates costs for an organization of average size. scale.test ("newest") fails without
 * OFFSET 0.
 */
export function reachRows(row: SqlRow, source: SqlRow | null, link: ToMany, mode?: "each"): Reach {
  if (link.rows) return { from: `(${link.rows(source ?? row)}) ${row.alias}`, where: "true" };
  const table = `"${row.entity.table}" ${row.alias}`;
  const conditions = [inTenantSql(row)];
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

/** Condition: a row is visible in lists without `includeArchived`. */
export function visibleSql(row: SqlRow): string {
  if (row.entity.hidden) return `not ${row.entity.hidden(row)}`;
  return row.entity.columns.archivedAt ? `${column(row, "archivedAt")} is null` : "true";
}
