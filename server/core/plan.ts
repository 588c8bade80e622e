import type { ToMany, ToOne } from "./entity.ts";
import { filterSql } from "./filter.ts";
import { isUuid } from "./id.ts";
import { jsonObject, shown } from "./json.ts";
import { reach, visible } from "./link.ts";
import { beyond, cursorSql, type Order, orderBy, orderOf } from "./order.ts";
import { MAX_PAGE, pageOf } from "./page.ts";
import { type Build, bind, column, entityOf, fieldValue, inTenant, joined, newRow, type Row } from "./row.ts";
import { argsOf, type Selection } from "./selection.ts";

type Args = Readonly<Record<string, unknown>>;

/** SQL of the JSON object that shows a row as it was selected. */
export function rowJson(row: Row, selections: readonly Selection[]): string {
  return jsonObject(selections.map((selection) => [selection.key, fieldSql(row, selection)] as const));
}

function fieldSql(row: Row, selection: Selection): string {
  const { field } = selection;
  if (field === "__typename") return `'${row.entity.name}'::text`;
  const value = fieldValue(row, field);
  if (value) return shown(value.type, value.sql);
  if (row.entity.one?.[field]) {
    const target = joined(row, field);
    return `case when ${column(target, "id")} is not null then ${rowJson(target, selection.children)} end`;
  }
  const many = row.entity.many?.[field];
  if (many) return manySql(row.build, row, many, selection);
  throw new Error(`${row.entity.name}.${field} is in the schema but is no column, computed value or link`);
}

/** SQL of a to-many link: a connection, or for a plain list type an array by position. */
export function manySql(build: Build, source: Row | null, link: ToMany, selection: Selection): string {
  return selection.list ? listSql(build, source, link, selection) : connectionSql(build, source, link, selection);
}

function listSql(build: Build, source: Row | null, link: ToMany, selection: Selection): string {
  const row = newRow(build, entityOf(build, link.entity));
  const json = rowJson(row, selection.children);
  const order = `${column(row, row.entity.columns.position ? "position" : "createdAt")}, ${column(row, "id")}`;
  const { from, where } = reach(row, source, link);
  return `(select coalesce(json_agg(j.v order by j.n), '[]') from (select ${json} as v, row_number() over (order by ${order}) as n
    from ${from}${row.frame.joins.join("")} where ${where} and ${visible(row)} limit ${MAX_PAGE}) j)`;
}

/** SQL of a root field that is one row: by the declared condition, or by its `id` argument. */
export function rootOneSql(build: Build, link: ToOne, selection: Selection): string {
  const row = newRow(build, entityOf(build, link.entity));
  const json = rowJson(row, selection.children);
  const found = link.where?.(row, null) ?? referenceSql(row, selection);
  return `(select ${json} from "${row.entity.table}" ${row.alias}${row.frame.joins.join("")}
    where ${inTenant(row)} and ${found} limit 1)`;
}

function referenceSql(row: Row, { slot }: Selection): string {
  const get = (args: readonly Args[]) => String(args[slot]?.id).replaceAll("\0", "\uFFFD");
  if (isUuid(get(row.build.inputs.args))) {
    return `${column(row, "id")} = ${bind(row.build, `${slot}.id`, "uuid", ({ args }) => get(args))}`;
  }
  const text = () => bind(row.build, `${slot}.id`, "text", ({ args }) => get(args));
  return row.entity.reference?.(row, text()) ?? "false";
}

/** SQL of the array of rows whose ids are given, in that order. `ids` is a bound uuid[]. */
export function givenRowsSql(build: Build, entity: string, ids: string, selection: Selection): string {
  const row = newRow(build, entityOf(build, entity));
  const json = rowJson(row, selection.children);
  return `(select coalesce(json_agg(${json} order by g.n), '[]') from unnest(${ids}) with ordinality g (id, n)
    join "${row.entity.table}" ${row.alias} on ${inTenant(row)} and ${column(row, "id")} = g.id${row.frame.joins.join("")})`;
}

/** What the members of a connection share: its rows are aliased `outer` inside and aggregated outside. */
interface Edges {
  size: number;
  direction: "asc" | "desc";
  order: Order;
  /** Select list of the rows; members add what they aggregate. */
  columns: string[];
  outer: Row;
  args: Args;
}

/**
 * SQL of a Relay connection: one page by keyset, one row more than asked for to know whether more follows.
 * The limit is a literal: as a parameter PostgreSQL plans the statement anew on each execution.
 */
function connectionSql(build: Build, source: Row | null, link: ToMany, selection: Selection): string {
  const args = argsOf(selection, build.inputs.args);
  const page = pageOf(args);
  const inner = newRow(build, entityOf(build, link.entity));
  const order = orderOf(inner, args);
  const conditions = pageConditions(inner, order, selection.slot, args);
  const { from, where } = reach(inner, source, link);
  const ordered = orderBy(inner, order, page.backward);
  const rows = `select ${inner.alias}.*, row_number() over (order by ${ordered}) as "rowNumber"
    from ${from}${inner.frame.joins.join("")} where ${[where, ...conditions].join(" and ")}
    order by ${ordered} limit ${page.size + 1}`;
  const outer = newRow(build, inner.entity);
  const columns = [`${outer.alias}."rowNumber" as n`];
  const edges: Edges = { size: page.size, direction: page.backward ? "desc" : "asc", order, columns, outer, args };
  const members = selection.children.map((child) => [child.key, memberSql(child, edges)] as const);
  return `(select ${jsonObject(members)} from (select ${columns.join(", ")} from (${rows}) ${outer.alias}${outer.frame.joins.join("")}) r)`;
}

function pageConditions(row: Row, order: Order, slot: number, args: Args): string[] {
  const conditions: string[] = [];
  if (args.includeArchived !== true) conditions.push(visible(row));
  if (args.filter) conditions.push(filterSql(row, { slot, path: ["filter"], value: args.filter }));
  for (const name of ["after", "before"] as const) {
    if (present(args[name])) conditions.push(beyond(row, order, { slot, name }));
  }
  return conditions;
}

function memberSql(child: Selection, edges: Edges): string {
  const { outer, columns, size, direction } = edges;
  if (child.field === "__typename") return `'${outer.entity.name}Connection'::text`;
  if (child.field === "pageInfo") return pageInfoSql(child, edges);
  const name = `v${columns.length}`;
  columns.push(`${child.field === "nodes" ? rowJson(outer, child.children) : edgeJson(child, edges)} as ${name}`);
  return `coalesce(json_agg(r.${name} order by r.n ${direction}) filter (where r.n <= ${size}), '[]')`;
}

function edgeJson(child: Selection, { outer, order }: Edges): string {
  const members = child.children.map(({ key, field, children }) => {
    if (field === "__typename") return [key, `'${outer.entity.name}Edge'::text`] as const;
    return [key, field === "cursor" ? cursorSql(outer, order) : rowJson(outer, children)] as const;
  });
  return jsonObject(members);
}

function pageInfoSql(child: Selection, { size, direction, order, columns, outer, args }: Edges): string {
  const more = `coalesce(bool_or(r.n > ${size}), false)`;
  const backward = direction === "desc";
  const cursor = `v${columns.length}`;
  if (child.children.some(({ field }) => field.endsWith("Cursor")))
    columns.push(`${cursorSql(outer, order)} as ${cursor}`);
  const end = (sense: "asc" | "desc") =>
    `(array_agg(r.${cursor} order by r.n ${sense}) filter (where r.n <= ${size}))[1]`;
  const values: Record<string, string> = {
    __typename: "'PageInfo'::text",
    hasNextPage: backward ? String(present(args.before)) : more,
    hasPreviousPage: backward ? more : String(present(args.after)),
    startCursor: end(backward ? "desc" : "asc"),
    endCursor: end(backward ? "asc" : "desc"),
  };
  return jsonObject(child.children.map(({ key, field }) => [key, values[field] ?? "null"] as const));
}

const present = (value: unknown): boolean => value !== undefined && value !== null;
