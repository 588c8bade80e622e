import { getOwnProperty } from "../../../formats/own.ts";
import type { SqlRow, ToMany } from "../entity.ts";
import { type JsonSql, jsonToTextSql, objectJson, valueJson } from "../json.ts";
import type { Selection } from "../selection.ts";
import type { ArgumentShape } from "../shape.ts";
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
  rowJson(row: SqlRow, selections: readonly Selection[]): JsonSql;
  /** Order of a list that has its own order, such as the rank of search results. */
  order?: Order;
  /** The link's rows already satisfy the arguments, so the SQL does not filter them again. */
  passed?: true;
  /** Members that only this connection has, in addition to the members of every connection. */
  also?: Readonly<Record<string, JsonSql>>;
}

/**
 * Values that the fields of a connection share. The SQL of the nodes, the edges and the page info consists of
 * aggregates over `row`.
 */
interface ConnectionPage {
  size: number;
  backward: boolean;
  order: Order;
  row: SqlRow;
  /** True if the aggregate may contain more rows than the page, so that the SQL must cut off the excess. */
  cut: boolean;
  args: ArgumentShape;
  request: ConnectionRequest;
  /** SQL for the number of rows on all pages. */
  total: string;
}

/** JSON of the selected members of a page. */
export const pageMembersJson = (page: ConnectionPage): JsonSql =>
  objectJson(page.request.selection.children.map((child) => [child.key, memberJson(child, page)] as const));

function memberJson(child: Selection, page: ConnectionPage): JsonSql {
  const { row, request, total } = page;
  if (child.constant !== undefined) return [child.constant];
  const own = getOwnProperty(request.also, child.field);
  if (own) return own;
  if (child.field === "pageInfo") return pageInfoJson(child, page);
  if (child.field === "incomplete") return incompleteJson(row);
  if (child.field === "searchedSince") return searchedSinceJson(page);
  if (child.field === "totalCount") return [{ sql: `${total}::text` }];
  const value = jsonToTextSql(child.field === "nodes" ? request.rowJson(row, child.children) : edgeJson(child, page));
  const all = page.cut
    ? `array_to_string((${aggregated(page, value)})[${firstOf(page)}:${lastOf(page)}], ',')`
    : `string_agg(${value}, ',' order by ${orderBySql(row, page.order, false)})`;
  return ["[", { sql: `coalesce(${all}, '')` }, "]"];
}

const incompleteJson = ({ entity, build }: SqlRow): JsonSql => [
  entity.incomplete ? { sql: `(${entity.incomplete(build)})::text` } : "false",
];

function searchedSinceJson({ row, args, request }: ConnectionPage): JsonSql {
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

const edgeJson = (child: Selection, { row, order, request }: ConnectionPage): JsonSql =>
  objectJson(
    child.children.map(({ key, field, constant, children }) => {
      if (constant !== undefined) return [key, [constant]] as const;
      return [key, field === "cursor" ? cursorJson(row, order) : request.rowJson(row, children)] as const;
    }),
  );

function pageInfoJson(child: Selection, page: ConnectionPage): JsonSql {
  const { size, backward, row, order, args } = page;
  const more: JsonSql = [{ sql: `(count(*) > ${size})::text` }];
  // The SQL picks the cursor's values from one row and then writes one cursor. Writing a cursor takes longer than
  // reading its row, so the SQL does not write a cursor for every row.
  const cursorOf = (at: string): JsonSql => {
    const text = jsonToTextSql(cursorJson(row, order, (value) => `(${aggregated(page, value)})[${at}]`));
    return [{ sql: `coalesce(${text}, 'null')` }];
  };
  const values: Record<string, () => JsonSql> = {
    hasNextPage: () => (backward ? [String(isGiven(args.before))] : more),
    hasPreviousPage: () => (backward ? more : [String(isGiven(args.after))]),
    startCursor: () => cursorOf(firstOf(page)),
    endCursor: () => cursorOf(lastOf(page)),
  };
  return objectJson(
    child.children.map(
      ({ key, field, constant }) =>
        [key, constant ? [constant] : (getOwnProperty(values, field)?.() ?? ["null"])] as const,
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
export const emptyPageJson = ({ children }: Selection, row: SqlRow): JsonSql =>
  objectJson(
    children.map((child) => {
      if (child.field === "pageInfo") return [child.key, emptyPageJson(child, row)] as const;
      if (child.field === "incomplete") return [child.key, incompleteJson(row)] as const;
      return [child.key, [child.constant ?? getOwnProperty(EMPTY, child.field) ?? "null"]] as const;
    }),
  );
