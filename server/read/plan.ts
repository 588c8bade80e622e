import { readOwn } from "../../formats/own.ts";
import { inputError } from "../errors.ts";
import { connectionJson } from "./connection/connection.ts";
import { MAX_PAGE } from "./connection/page.ts";
import type { Build, SqlRow, ToMany, ToOne } from "./entity.ts";
import { type Json, objectJson, textSql, valueJson } from "./json.ts";
import { reachRows, visibleSql } from "./link.ts";
import { bind, column, fieldSql, findEntity, inTenantSql, joinLink, newRow, readShape } from "./row.ts";
import { type Selection, selectedArguments } from "./selection.ts";
import { isUuidShape } from "./shape.ts";

/** JSON of the selected fields of a row. */
export function rowJson(row: SqlRow, selections: readonly Selection[]): Json {
  return objectJson(selections.map((selection) => [selection.key, fieldJson(row, selection)] as const));
}

function fieldJson(row: SqlRow, selection: Selection): Json {
  const { field, constant, nonNull } = selection;
  if (constant !== undefined) return [constant];
  const value = fieldSql(row, field);
  if (value) {
    const sql = clipped(row, selection, value.sql);
    if (selection.measured) return [{ sql: `coalesce(octet_length((${sql})::text), 0)::text` }];
    // The table guarantees that a declared column is not null. A computed value has no such guarantee.
    return valueJson(value.type, sql, nonNull && Object.hasOwn(row.entity.columns, field));
  }
  if (readOwn(row.entity.one, field)) return toOneJson(joinLink(row, field), selection);
  const many = readOwn(row.entity.many, field);
  if (many) return [{ sql: manySql(row.build, row, many, selection) }];
  throw new Error(`${row.entity.name}.${field} is in the schema but is no column, computed value, link or constant`);
}

/** SQL for a text, cut to `maxLength` if the selection has this argument. */
function clipped(row: SqlRow, selection: Selection, sql: string): string {
  if (readShape(row.build, selection).maxLength === undefined) return sql;
  const most = bind(row.build, `${selection.argumentIndex}.maxLength`, "integer", ({ args }) => {
    const length = Number(selectedArguments(selection, args).maxLength);
    if (length < 0) throw inputError("maxLength must not be negative", "maxLength");
    return length;
  });
  return `left(${sql}, ${most})`;
}

function toOneJson(target: SqlRow, { nonNull, children }: Selection): Json {
  const json = rowJson(target, children);
  return nonNull ? json : [{ sql: `case when ${column(target, "id")} is null then 'null' else ${textSql(json)} end` }];
}

/** SQL for the text of a to-many link: a connection, or an array sorted by position for a plain list type. */
export const manySql = (build: Build, source: SqlRow | null, link: ToMany, selection: Selection): string =>
  selection.list
    ? listSql(build, source, link, selection)
    : connectionJson(build, { source, link, selection, rowJson });

function listSql(build: Build, source: SqlRow | null, link: ToMany, selection: Selection): string {
  const row = newRow(build, findEntity(build, link.entity));
  const json = textSql(rowJson(row, selection.children));
  const order = `${column(row, row.entity.columns.position ? "position" : "createdAt")}, ${column(row, "id")}`;
  const { from, where } = reachRows(row, source, link);
  return `(select '[' || coalesce(string_agg(j.v, ',' order by j.n), '') || ']' from (
    select ${json} as v, row_number() over (order by ${order}) as n
    from ${from}${row.frame.joins.join("")} where ${where} and ${visibleSql(row)} limit ${MAX_PAGE}) j)`;
}

/**
 * SQL for the text of a root field with one row, found by the declared condition or by the argument `id`. Null if no
 * row matches.
 */
export function rootOneSql(build: Build, link: ToOne, selection: Selection): string {
  const row = newRow(build, findEntity(build, link.entity));
  const json = textSql(rowJson(row, selection.children));
  const found = link.where?.(row, null) ?? referenceSql(row, selection);
  return `(select ${json} from "${row.entity.table}" ${row.alias}${row.frame.joins.join("")}
    where ${inTenantSql(row)} and ${found} limit 1)`;
}

function referenceSql(row: SqlRow, selection: Selection): string {
  const { id } = readShape(row.build, selection);
  if (id === undefined) throw inputError("id is required", "id");
  const get = (args: Parameters<typeof selectedArguments>[1]) => String(selectedArguments(selection, args).id);
  const key = `${selection.argumentIndex}.id`;
  if (isUuidShape(id)) {
    return `${column(row, "id")} = ${bind(row.build, key, "uuid", ({ args }) => get(args))}`;
  }
  const text = () => bind(row.build, key, "text", ({ args }) => get(args));
  return row.entity.reference?.(row, text()) ?? "false";
}

/** SQL for the text of rows with the given ids, in the same order. `ids` is a bound uuid[]. */
export function givenRowsSql(build: Build, entity: string, ids: string, selection: Selection): string {
  const row = newRow(build, findEntity(build, entity));
  const json = textSql(rowJson(row, selection.children));
  return `(select '[' || coalesce(string_agg(${json}, ',' order by g.n), '') || ']' from unnest(${ids}) with ordinality g (id, n)
    join "${row.entity.table}" ${row.alias} on ${inTenantSql(row)} and ${column(row, "id")} = g.id${row.frame.joins.join("")})`;
}
