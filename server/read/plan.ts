import { readOwn } from "../../formats/own.ts";
import { inputError } from "../errors.ts";
import { connectionJson } from "./connection/connection.ts";
import { MAX_PAGE } from "./connection/page.ts";
import type { Build, SqlRow, ToMany, ToOne } from "./entity.ts";
import { type Json, objectOf, textSql, valueJson } from "./json.ts";
import { reach, visible } from "./link.ts";
import { bind, column, entityOf, fieldValue, inTenant, joined, newRow, shapeOf } from "./row.ts";
import { argsOf, type Selection } from "./selection.ts";
import { isUuidShape } from "./shape.ts";

/** JSON of a row as it was selected. */
export function rowJson(row: SqlRow, selections: readonly Selection[]): Json {
  return objectOf(selections.map((selection) => [selection.key, fieldJson(row, selection)] as const));
}

function fieldJson(row: SqlRow, selection: Selection): Json {
  const { field, constant, nonNull } = selection;
  if (constant !== undefined) return [constant];
  const value = fieldValue(row, field);
  if (value) {
    const sql = clipped(row, selection, value.sql);
    if (selection.measured) return [{ sql: `coalesce(octet_length((${sql})::text), 0)::text` }];
    // The table guarantees that a declared column is not null; of a computed value nothing guarantees it.
    return valueJson(value.type, sql, nonNull && Object.hasOwn(row.entity.columns, field));
  }
  if (readOwn(row.entity.one, field)) return toOneJson(joined(row, field), selection);
  const many = readOwn(row.entity.many, field);
  if (many) return [{ sql: manySql(row.build, row, many, selection) }];
  throw new Error(`${row.entity.name}.${field} is in the schema but is no column, computed value, link or constant`);
}

/** A text, or as much of it as the selection asks for. */
function clipped(row: SqlRow, selection: Selection, sql: string): string {
  if (shapeOf(row.build, selection).maxLength === undefined) return sql;
  const most = bind(row.build, `${selection.argumentIndex}.maxLength`, "integer", ({ args }) => {
    const length = Number(argsOf(selection, args).maxLength);
    if (length < 0) throw inputError("maxLength must not be negative", "maxLength");
    return length;
  });
  return `left(${sql}, ${most})`;
}

function toOneJson(target: SqlRow, { nonNull, children }: Selection): Json {
  const json = rowJson(target, children);
  return nonNull ? json : [{ sql: `case when ${column(target, "id")} is null then 'null' else ${textSql(json)} end` }];
}

/** SQL of the text of a to-many link: a connection, or for a plain list type an array by position. */
export const manySql = (build: Build, source: SqlRow | null, link: ToMany, selection: Selection): string =>
  selection.list
    ? listSql(build, source, link, selection)
    : connectionJson(build, { source, link, selection, rowJson });

function listSql(build: Build, source: SqlRow | null, link: ToMany, selection: Selection): string {
  const row = newRow(build, entityOf(build, link.entity));
  const json = textSql(rowJson(row, selection.children));
  const order = `${column(row, row.entity.columns.position ? "position" : "createdAt")}, ${column(row, "id")}`;
  const { from, where } = reach(row, source, link);
  return `(select '[' || coalesce(string_agg(j.v, ',' order by j.n), '') || ']' from (
    select ${json} as v, row_number() over (order by ${order}) as n
    from ${from}${row.frame.joins.join("")} where ${where} and ${visible(row)} limit ${MAX_PAGE}) j)`;
}

/** SQL of the text of a root field that is one row, by the declared condition or by its `id` argument; null without. */
export function rootOneSql(build: Build, link: ToOne, selection: Selection): string {
  const row = newRow(build, entityOf(build, link.entity));
  const json = textSql(rowJson(row, selection.children));
  const found = link.where?.(row, null) ?? referenceSql(row, selection);
  return `(select ${json} from "${row.entity.table}" ${row.alias}${row.frame.joins.join("")}
    where ${inTenant(row)} and ${found} limit 1)`;
}

function referenceSql(row: SqlRow, selection: Selection): string {
  const { id } = shapeOf(row.build, selection);
  if (id === undefined) throw inputError("id says which one", "id");
  const get = (args: Parameters<typeof argsOf>[1]) => String(argsOf(selection, args).id);
  const key = `${selection.argumentIndex}.id`;
  if (isUuidShape(id)) {
    return `${column(row, "id")} = ${bind(row.build, key, "uuid", ({ args }) => get(args))}`;
  }
  const text = () => bind(row.build, key, "text", ({ args }) => get(args));
  return row.entity.reference?.(row, text()) ?? "false";
}

/** SQL of the text of the rows whose ids are given, in that order. `ids` is a bound uuid[]. */
export function givenRowsSql(build: Build, entity: string, ids: string, selection: Selection): string {
  const row = newRow(build, entityOf(build, entity));
  const json = textSql(rowJson(row, selection.children));
  return `(select '[' || coalesce(string_agg(${json}, ',' order by g.n), '') || ']' from unnest(${ids}) with ordinality g (id, n)
    join "${row.entity.table}" ${row.alias} on ${inTenant(row)} and ${column(row, "id")} = g.id${row.frame.joins.join("")})`;
}
