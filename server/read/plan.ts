import { getOwnProperty } from "../../formats/own.ts";
import { inputError } from "../errors.ts";
import { connectionJsonSql } from "./connection/connection.ts";
import { MAX_PAGE_SIZE } from "./connection/page.ts";
import type { SqlRow, StatementBuild, ToMany, ToOne } from "./entity.ts";
import { type JsonSql, jsonToTextSql, objectJson, valueJson } from "./json.ts";
import { buildLinkedRowsClauses, visibleSql } from "./link.ts";
import {
  bindParameter,
  columnSql,
  fieldSql,
  findEntity,
  getArgumentShape,
  isReadableByCallerSql,
  joinLink,
  newRow,
} from "./row.ts";
import { type Selection, selectedArguments } from "./selection.ts";
import { isUuidShape } from "./shape.ts";

/** JSON of the selected fields of a row. */
export function rowJson(row: SqlRow, selections: readonly Selection[]): JsonSql {
  return objectJson(selections.map((selection) => [selection.key, fieldJson(row, selection)] as const));
}

function fieldJson(row: SqlRow, selection: Selection): JsonSql {
  const { field, constant, nonNull } = selection;
  if (constant !== undefined) return [constant];
  const value = fieldSql(row, field);
  if (value) {
    const sql = clipped(row, selection, value.sql);
    if (selection.measured) return [{ sql: `coalesce(octet_length((${sql})::text), 0)::text` }];
    // The table guarantees that a declared column is not null. A computed value may be null.
    return valueJson(value.type, sql, nonNull && Object.hasOwn(row.entity.columns, field));
  }
  if (getOwnProperty(row.entity.one, field)) return toOneJson(joinLink(row, field), selection);
  const many = getOwnProperty(row.entity.many, field);
  if (many) return [{ sql: toManyLinkSql(row.build, row, many, selection) }];
  throw new Error(`${row.entity.name}.${field} is in the schema but is no column, computed value, link or constant`);
}

/** SQL for a text, cut to `maxLength` if the selection has this argument. */
function clipped(row: SqlRow, selection: Selection, sql: string): string {
  if (getArgumentShape(row.build, selection).maxLength === undefined) return sql;
  const most = bindParameter(row.build, `${selection.argumentIndex}.maxLength`, "integer", ({ args }) => {
    const length = Number(selectedArguments(selection, args).maxLength);
    if (length < 0) throw inputError("maxLength must not be negative", "maxLength");
    return length;
  });
  return `left(${sql}, ${most})`;
}

function toOneJson(target: SqlRow, { nonNull, children }: Selection): JsonSql {
  const json = rowJson(target, children);
  return nonNull
    ? json
    : [{ sql: `case when ${columnSql(target, "id")} is null then 'null' else ${jsonToTextSql(json)} end` }];
}

/**
 * SQL for the JSON text of a to-many link. The JSON is a connection, or an array sorted by position if the field has a
 * plain list type.
 */
export const toManyLinkSql = (
  build: StatementBuild,
  source: SqlRow | null,
  link: ToMany,
  selection: Selection,
): string =>
  selection.list
    ? listSql(build, source, link, selection)
    : connectionJsonSql(build, { source, link, selection, rowJson });

function listSql(build: StatementBuild, source: SqlRow | null, link: ToMany, selection: Selection): string {
  const row = newRow(build, findEntity(build, link.entity));
  const json = jsonToTextSql(rowJson(row, selection.children));
  const order = `${columnSql(row, row.entity.columns.position ? "position" : "createdAt")}, ${columnSql(row, "id")}`;
  const { from, where } = buildLinkedRowsClauses(row, source, link);
  return `(select '[' || coalesce(string_agg(j.v, ',' order by j.n), '') || ']' from (
    select ${json} as v, row_number() over (order by ${order}) as n
    from ${from}${row.frame.joins.join("")} where ${where} and ${visibleSql(row)} limit ${MAX_PAGE_SIZE}) j)`;
}

/**
 * SQL for the JSON text of a root field that returns one row. The declared condition or the argument `id` finds the
 * row. The SQL is null if no row matches.
 */
export function rootRowSql(build: StatementBuild, link: ToOne, selection: Selection): string {
  const row = newRow(build, findEntity(build, link.entity));
  const json = jsonToTextSql(rowJson(row, selection.children));
  const found = link.where?.(row, null) ?? referenceSql(row, selection);
  return `(select ${json} from "${row.entity.table}" ${row.alias}${row.frame.joins.join("")}
    where ${isReadableByCallerSql(row)} and ${found} limit 1)`;
}

function referenceSql(row: SqlRow, selection: Selection): string {
  const { id } = getArgumentShape(row.build, selection);
  if (id === undefined) throw inputError("id is required", "id");
  const get = (args: Parameters<typeof selectedArguments>[1]) => String(selectedArguments(selection, args).id);
  const key = `${selection.argumentIndex}.id`;
  if (isUuidShape(id)) {
    return `${columnSql(row, "id")} = ${bindParameter(row.build, key, "uuid", ({ args }) => get(args))}`;
  }
  const text = () => bindParameter(row.build, key, "text", ({ args }) => get(args));
  return row.entity.reference?.(row, text()) ?? "false";
}

/** SQL for the JSON text of the rows with the given ids, in the order of the ids. `ids` is a bound uuid[]. */
export function rowsByIdsSql(build: StatementBuild, entity: string, ids: string, selection: Selection): string {
  const row = newRow(build, findEntity(build, entity));
  const json = jsonToTextSql(rowJson(row, selection.children));
  return `(select '[' || coalesce(string_agg(${json}, ',' order by g.n), '') || ']' from unnest(${ids}) with ordinality g (id, n)
    join "${row.entity.table}" ${row.alias} on ${isReadableByCallerSql(row)} and ${columnSql(row, "id")} = g.id${row.frame.joins.join("")})`;
}
