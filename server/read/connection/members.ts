import { readOwn } from "../../../formats/own.ts";
import type { SqlRow, ToMany } from "../entity.ts";
import { type Json, objectOf, textSql, valueJson } from "../json.ts";
import type { Selection } from "../selection.ts";
import type { Shape } from "../shape.ts";
import { cursorJson } from "./cursor.ts";
import { type Order, orderBy } from "./order.ts";
import { isGiven } from "./page.ts";

/** A selection of a connection: the link and the row it starts from (none at the root), and how rows are written. */
export interface ConnectionRequest {
  source: SqlRow | null;
  link: ToMany;
  selection: Selection;
  rowJson(row: SqlRow, selections: readonly Selection[]): Json;
  /** The order of a list that has one of its own, such as the rank of a search. */
  order?: Order;
  /** The rows of the link pass the arguments already: they are not compared again. */
  passed?: true;
  /** Members of a list's own, beside those of every page. */
  also?: Readonly<Record<string, Json>>;
}

/** Parts that the members of a connection share. They are aggregates over `row`. */
interface ConnectionPage {
  size: number;
  backward: boolean;
  order: Order;
  row: SqlRow;
  /** True if more rows than the page has may be aggregated, so that the excess is cut off. */
  cut: boolean;
  args: Shape;
  request: ConnectionRequest;
  /** SQL of how many there are, on whatever page. */
  total: string;
}

/** JSON of the members of a page as they were selected. */
export const membersJson = (page: ConnectionPage): Json =>
  objectOf(page.request.selection.children.map((child) => [child.key, memberJson(child, page)] as const));

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
    : `string_agg(${value}, ',' order by ${orderBy(row, page.order, false)})`;
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
  `array_agg(${value} order by ${orderBy(row, order, false)})`;

/** SQL of the first and the last row of the page among those that were aggregated. */
const firstOf = ({ size, backward, cut }: ConnectionPage): string =>
  backward && cut ? `greatest(count(*) - ${size - 1}, 1)::int` : "1";
const lastOf = ({ size, backward }: ConnectionPage): string =>
  backward ? "count(*)::int" : `least(count(*), ${size})::int`;

const edgeJson = (child: Selection, { row, order, request }: ConnectionPage): Json =>
  objectOf(
    child.children.map(({ key, field, constant, children }) => {
      if (constant !== undefined) return [key, [constant]] as const;
      return [key, field === "cursor" ? cursorJson(row, order) : request.rowJson(row, children)] as const;
    }),
  );

function pageInfoJson(child: Selection, page: ConnectionPage): Json {
  const { size, backward, row, order, args } = page;
  const more: Json = [{ sql: `(count(*) > ${size})::text` }];
  // The values that the cursor is made of are picked, not the cursor of each row: writing one takes longer than reading its row.
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
  return objectOf(
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

/** JSON of a page without entries, which would be of a row. */
export const emptyJson = ({ children }: Selection, row: SqlRow): Json =>
  objectOf(
    children.map((child) => {
      if (child.field === "pageInfo") return [child.key, emptyJson(child, row)] as const;
      if (child.field === "incomplete") return [child.key, incompleteJson(row)] as const;
      return [child.key, [child.constant ?? readOwn(EMPTY, child.field) ?? "null"]] as const;
    }),
  );
