import type { SqlRow, ToMany } from "./entity.ts";
import { bindOrganization, columnSql, isReadableByCallerSql } from "./row.ts";

/** FROM and WHERE clauses for the rows of a to-many link. */
export interface LinkedRowsClauses {
  from: string;
  where: string;
}

/**
 * Returns SQL for the rows of a to-many link. `source` is null at the root of a query, where computed rows depend on no
 * other row. The caller must add joins that `row` needs for conditions before the call. With `each`, the source is a
 * page of rows in the same FROM clause, and the SQL looks up each source row's entries in the link table separately.
 * For `each`, OFFSET 0 stops PostgreSQL from joining the page with all entries of the organization in the link table,
 * because PostgreSQL estimates costs for an organization of average size. scale.test ("newest") fails without OFFSET 0.
 */
export function buildLinkedRowsClauses(
  row: SqlRow,
  source: SqlRow | null,
  link: ToMany,
  mode?: "each",
): LinkedRowsClauses {
  if (link.rows) return { from: `(${link.rows(source ?? row)}) ${row.alias}`, where: "true" };
  const table = `"${row.entity.table}" ${row.alias}`;
  const conditions = [isReadableByCallerSql(row)];
  if (link.where) conditions.push(link.where(row, source));
  if (link.by && source) conditions.push(`${columnSql(row, link.by)} = ${columnSql(source, "id")}`);
  if (!link.through || !source) return { from: table, where: conditions.join(" and ") };
  const { table: linkTable, from, to } = link.through;
  const alias = `l${row.alias}`;
  const pairs = `${alias}."organizationId" = ${bindOrganization(row.build)} and ${alias}."${from}" = ${columnSql(source, "id")}`;
  const on = `join ${table} on ${columnSql(row, "id")} = ${alias}."${to}"`;
  if (mode === "each") {
    const each = `lateral (select ${alias}."${to}" from "${linkTable}" ${alias} where ${pairs} offset 0) ${alias}`;
    return { from: `${each} ${on}`, where: conditions.join(" and ") };
  }
  return { from: `"${linkTable}" ${alias} ${on}`, where: [...conditions, pairs].join(" and ") };
}

/** Condition: a row is visible in lists without `includeArchived`. */
export function visibleSql(row: SqlRow): string {
  if (row.entity.hidden) return `not ${row.entity.hidden(row)}`;
  return row.entity.columns.archivedAt ? `${columnSql(row, "archivedAt")} is null` : "true";
}
