import { readOwn } from "../../../formats/own.ts";
import type { SqlRow, ToMany } from "../entity.ts";
import { type Json, objectJson, textSql, valueJson } from "../json.ts";
import type { Selection } from "../selection.ts";
import type { Shape } from "../shape.ts";
import { cursorJson } from "./cursor.ts";
import { type Order, orderBySql } from "./order.ts";
import { isGiven } from "./page.ts";

/**
 * A selected connection: its link, the row where the link starts (null at the root), and the function that writes
 * rows.
 */
export interface ConnectionRequest {
  source: SqlRow | null;
  link: ToMany;
  selection: Selection;
  rowJson(row: SqlRow, selections: readonly Selection[]): Json;
  /** Order of a list that has its own order, such as the rank of search results. */
  order?: Order;
  /** The link's rows already satisfy the arguments, so the SQL does not filter them again. */
  passed?: true;
  /** Members that only this connection has, in addition to the members of every connection. */
  also?: Readonly<Record<string, Json>>;
}

/** Values that the members of a connection share. The members are aggregates over `row`. */
interface ConnectionPage {
  size: number;
  backward: boolean;
  order: Order;
  row: SqlRow;
  /** True if the aggregate may contain more rows than the page, so that the SQL must cut off the excess. */
  cut: boolean;
  args: Shape;
  request: ConnectionRequest;
  /** SQL for the number of rows on all pages. */
  total: string;
}

/** JSON of the selected members of a page. */
export const membersJson = (page: ConnectionPage): Json =>
  objectJson(page.request.selection.children.map((child) => [child.key, memberJson(child, page)] as const));

function memberJson(child: Selection, page: ConnectionPage): Json {
  const { row, request, total } = page;
  if (child.constant !== undefined) return [child.constant];
  const own = readOwn(request.also, child.field);
  if (own) return own;
  if (child.field === "pageInfo") return pageInfoJson(child, page);
  if (child.field === "incomplete") return incompleteJson(row);
  if (child.field === "searchedSince") return searchedSinceJson(page);
  if (child.field === "totalCount") return [{ sql: `${total}::text` }];
  const value = textSql(child.field === "nodes" ? request.rowJson(row, child.children) : edgeJson(child, page));
  const all = page.cut
    ? `array_to_string((${aggregated(page, value)})[${firstOf(page)}:${lastOf(page)}], ',')`
    : `string_agg(${value}, ',' order by ${orderBySql(row, page.order, false)})`;
  return ["[", { sql: `coalesce(${all}, '')` }, "]"];
}

const incompleteJson = ({ entity, build }: SqlRow): Json => [
  entity.incomplete ? { sql: `(${entity.incomplete(build)})::text` } : "false",
];

function searchedSinceJson({ row, args, request }: ConnectionPage): Json {
  const { argumentIndex } = request.selection;
  const filter = { argumentIndex, path: ["filter"], value: args.filter, page: !request.source };
  return valueJson("timestamp", row.entity.searchedSince?.(row.build, filter) ?? "null::timestamptz");
}

const aggregated = ({ row, order }: ConnectionPage, value: string): string =>
  `array_agg(${value} order by ${orderBySql(row, order, false)})`;

/** SQL for the index of the page's first and last row among the aggregated rows. */
const firstOf = ({ size, backward, cut }: ConnectionPage): string =>
  backward && cut ? `greatest(count(*) - ${size - 1}, 1)::int` : "1";
const lastOf = ({ size, backward }: ConnectionPage): string =>
  backward ? "count(*)::int" : `least(count(*), ${size})::int`;

const edgeJson = (child: Selection, { row, order, request }: ConnectionPage): Json =>
  objectJson(
    child.children.map(({ key, field, constant, children }) => {
      if (constant !== undefined) return [key, [constant]] as const;
      return [key, field === "cursor" ? cursorJson(row, order) : request.rowJson(row, children)] as const;
    }),
  );

function pageInfoJson(child: Selection, page: ConnectionPage): Json {
  const { size, backward, row, order, args } = page;
  const more: Json = [{ sql: `(count(*) > ${size})::text` }];
  // The SQL picks the cursor's values from one row and then writes one cursor. Writing a cursor takes longer than
  // reading its row, so the SQL does not write a cursor for every row.
  const cursorOf = (at: string): Json => {
    const text = textSql(cursorJson(row, order, (value) => `(${aggregated(page, value)})[${at}]`));
    return [{ sql: `coalesce(${text}, 'null')` }];
  };
  const values: Record<string, () => Json> = {
    hasNextPage: () => (backward ? [String(isGiven(args.before))] : more),
    hasPreviousPage: () => (backward ? more : [String(isGiven(args.after))]),
    startCursor: () => cursorOf(firstOf(page)),
    endCursor: () => cursorOf(lastOf(page)),
  };
  return objectJson(
    child.children.map(
      ({ key, field, constant }) => [key, constant ? [constant] : (readOwn(values, field)?.() ?? ["null"])] as const,
    ),
  );
}

const EMPTY: Readonly<Record<string, string>> = {
  nodes: "[]",
  edges: "[]",
  totalCount: "0",
  hasNextPage: "false",
  hasPreviousPage: "false",
};

/** JSON of a page without entries. The SQL uses this JSON when the join finds no row for the outer row. */
export const emptyJson = ({ children }: Selection, row: SqlRow): Json =>
  objectJson(
    children.map((child) => {
      if (child.field === "pageInfo") return [child.key, emptyJson(child, row)] as const;
      if (child.field === "incomplete") return [child.key, incompleteJson(row)] as const;
      return [child.key, [child.constant ?? readOwn(EMPTY, child.field) ?? "null"]] as const;
    }),
  );
