import type { ToMany } from "./entity.ts";
import { filterSql } from "./filter.ts";
import { type Json, objectOf, textSql } from "./json.ts";
import { reach, visible } from "./link.ts";
import { beyond, cursorJson, type Order, orderBy, orderOf } from "./order.ts";
import { pageOf } from "./page.ts";
import { type Build, entityOf, newRow, type Row } from "./row.ts";
import { argsOf, type Selection } from "./selection.ts";

type Args = Readonly<Record<string, unknown>>;

/** A page that is asked for: of which link of which row (none at the root), and how its rows are written. */
export interface Asked {
  source: Row | null;
  link: ToMany;
  selection: Selection;
  rowJson(row: Row, selections: readonly Selection[]): Json;
}

/** What the members of a connection share. Its rows are read inside and aggregated outside, as `r`. */
interface Page {
  size: number;
  backward: boolean;
  order: Order;
  /** The rows as the aggregated expressions see them. */
  row: Row;
  /** Select list inside; members add what they aggregate. */
  columns: string[];
  args: Args;
  asked: Asked;
}

/**
 * SQL of the text of a Relay connection: one page by keyset, one row more than asked for where it matters whether
 * more follows. The limit is a literal: as a parameter PostgreSQL plans the statement anew on each execution.
 */
export function connectionJson(build: Build, asked: Asked): string {
  const { source, link, selection } = asked;
  const args = argsOf(selection, build.inputs.args);
  const { size, backward } = pageOf(args);
  const inner = newRow(build, entityOf(build, link.entity));
  const order = orderOf(inner, args);
  const conditions = conditionsOf(inner, order, selection.slot, args);
  const { from, where } = reach(inner, source, link);
  const ordered = orderBy(inner, order, backward);
  const rows = `select ${inner.alias}.* from ${from}${inner.frame.joins.join("")}
    where ${[where, ...conditions].join(" and ")} order by ${ordered} limit ${asksForMore(selection) ? size + 1 : size}`;
  const row = newRow(build, inner.entity);
  const page: Page = { size, backward, order, row, columns: [`${row.alias}.n`], args, asked };
  const json = objectOf(selection.children.map((child) => [child.key, memberJson(child, page)] as const));
  // Numbered as they come out of the limit: the joins of the next level may shuffle them.
  return `(select ${textSql(json)} from (select ${page.columns.join(", ")}
    from (select p.*, row_number() over () as n from (${rows}) p) ${row.alias}${row.frame.joins.join("")}) r)`;
}

const asksForMore = ({ children }: Selection): boolean =>
  children.some(({ field, children: below }) => field === "pageInfo" && below.some((each) => /^has/.test(each.field)));

function conditionsOf(row: Row, order: Order, slot: number, args: Args): string[] {
  const conditions: string[] = [];
  if (args.includeArchived !== true) conditions.push(visible(row));
  if (args.filter) conditions.push(filterSql(row, { slot, path: ["filter"], value: args.filter }));
  for (const name of ["after", "before"] as const) {
    if (present(args[name])) conditions.push(beyond(row, order, { slot, name }));
  }
  return conditions;
}

function memberJson(child: Selection, page: Page): Json {
  if (child.constant !== undefined) return [child.constant];
  if (child.field === "pageInfo") return pageInfoJson(child, page);
  const { row, asked } = page;
  const value = column(page, child.field === "nodes" ? asked.rowJson(row, child.children) : edgeJson(child, page));
  const order = `order by r.n ${page.backward ? "desc" : "asc"}`;
  return ["[", { sql: `coalesce(string_agg(${value}, ',' ${order})${withinPage(page)}, '')` }, "]"];
}

/** Adds a value to what is read inside. Returns its name outside. */
function column({ columns }: Page, value: Json): string {
  columns.push(`${textSql(value)} as v${columns.length}`);
  return `r.v${columns.length - 1}`;
}

const withinPage = ({ size, asked }: Page): string =>
  asksForMore(asked.selection) ? ` filter (where r.n <= ${size})` : "";

function edgeJson(child: Selection, { row, order, asked }: Page): Json {
  const members = child.children.map(({ key, field, constant, children }) => {
    if (constant !== undefined) return [key, [constant]] as const;
    return [key, field === "cursor" ? cursorJson(row, order) : asked.rowJson(row, children)] as const;
  });
  return objectOf(members);
}

function pageInfoJson(child: Selection, page: Page): Json {
  const { size, backward, order, row, args } = page;
  const more: Json = [{ sql: `coalesce(bool_or(r.n > ${size}), false)::text` }];
  const cursors = child.children.some(({ field }) => field.endsWith("Cursor"));
  const cursor = cursors ? column(page, cursorJson(row, order)) : "null";
  const end = (sense: "asc" | "desc"): Json => [
    { sql: `coalesce((array_agg(${cursor} order by r.n ${sense})${withinPage(page)})[1], 'null')` },
  ];
  const values: Record<string, Json> = {
    hasNextPage: backward ? [String(present(args.before))] : more,
    hasPreviousPage: backward ? more : [String(present(args.after))],
    startCursor: end(backward ? "desc" : "asc"),
    endCursor: end(backward ? "asc" : "desc"),
  };
  return objectOf(
    child.children.map(
      ({ key, field, constant }) => [key, constant ? [constant] : (values[field] ?? ["null"])] as const,
    ),
  );
}

const present = (value: unknown): boolean => value !== undefined && value !== null;
