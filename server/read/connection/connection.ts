import type { Build, SqlRow, ToMany } from "../entity.ts";
import { filterSql } from "../filter/filter.ts";
import { checkFilter } from "../filter/limits.ts";
import { type Json, objectOf, textSql } from "../json.ts";
import { reach, visible } from "../link.ts";
import { column, entityOf, newRow, shapeOf } from "../row.ts";
import type { Selection } from "../selection.ts";
import type { Shape } from "../shape.ts";
import { cursorCondition, cursorJson } from "./cursor.ts";
import { type Order, orderBy, orderOf } from "./order.ts";
import { pageOf } from "./page.ts";

/** What is selected of a connection: the link and the row it starts from (none at the root), and how rows are written. */
export interface ConnectionRequest {
  source: SqlRow | null;
  link: ToMany;
  selection: Selection;
  rowJson(row: SqlRow, selections: readonly Selection[]): Json;
  /** The order of a list that has one of its own, such as the rank of a search. */
  order?: Order;
}

/** What the members of a connection share. They are aggregates over `row`. */
interface ConnectionPage {
  size: number;
  backward: boolean;
  order: Order;
  row: SqlRow;
  /** Whether more rows than the page has may be aggregated, so that the excess is cut off. */
  cut: boolean;
  args: Shape;
  request: ConnectionRequest;
  /** SQL of how many there are, on whatever page. */
  total: string;
}

/** SQL of the text of a Relay connection. A link that is declared `preload` is read once for all rows of the outer page. */
export function connectionJson(build: Build, request: ConnectionRequest): string {
  const { source, link, selection } = request;
  const { after, before } = shapeOf(build, selection);
  const whole = !isGiven(after) && !isGiven(before);
  return source?.page && link.preload && whole ? preloadedPage(build, request, source) : onePage(build, request);
}

/**
 * One page by keyset, one row more than asked for where it matters whether more follows. The limit is a literal: as a
 * parameter PostgreSQL plans the statement anew on each execution. HAVING makes it one row, whatever of it is selected:
 * not every member is an aggregate.
 */
function onePage(build: Build, request: ConnectionRequest): string {
  const { source, link, selection } = request;
  const args = shapeOf(build, selection);
  const { size, backward } = pageOf(args);
  const inner = newRow(build, entityOf(build, link.entity));
  const order = request.order ?? orderOf(inner, args, link.oldestFirst);
  const conditions = conditionsOf(inner, selection.argumentIndex, args);
  const cursors = cursorConditions(inner, order, selection.argumentIndex, args);
  const { from, where } = reach(inner, source, link);
  const ordered = orderBy(inner, order, backward);
  const matching = `from ${from}${inner.frame.joins.join("")} where ${[where, ...conditions].join(" and ")}`;
  const cut = asksForMore(selection);
  const rows = `select ${inner.alias}.* ${[matching, ...cursors].join(" and ")} order by ${ordered} limit ${cut ? size + 1 : size}`;
  const row = newRow(build, inner.entity);
  const page = { name: `p${row.alias}`, used: false };
  row.page = page;
  const json = textSql(
    membersJson({ size, backward, order, row, cut, args, request, total: `(select count(*) ${matching})` }),
  );
  const joins = row.frame.joins.join("");
  return page.used
    ? `(with ${page.name} as materialized (${rows}) select ${json} from ${page.name} ${row.alias}${joins} having true)`
    : `(select ${json} from (${rows}) ${row.alias}${joins} having true)`;
}

/** The first page of a link for every row of the page that `source` is on, by one join grouped by the outer row. */
function preloadedPage(build: Build, request: ConnectionRequest, source: SqlRow): string {
  const { link, selection } = request;
  const args = shapeOf(build, selection);
  const owner = newRow(build, source.entity);
  const row = newRow(build, entityOf(build, link.entity));
  const order = request.order ?? orderOf(row, args, link.oldestFirst);
  const conditions = conditionsOf(row, selection.argumentIndex, args);
  const { from, where } = reach(row, owner, link);
  const json = textSql(membersJson({ ...pageOf(args), order, row, cut: true, args, request, total: "count(*)" }));
  const group = `g${row.alias}`;
  const page = source.page ?? { name: "", used: true };
  page.used = true;
  source.frame.joins.push(` left join (select ${column(owner, "id")} as id, ${json} as v
    from ${page.name} ${owner.alias}, ${from}${row.frame.joins.join("")} where ${[where, ...conditions].join(" and ")}
    group by ${column(owner, "id")}) ${group} on ${group}.id = ${column(source, "id")}`);
  return `coalesce(${group}.v, ${textSql(emptyJson(selection))})`;
}

const asksForMore = ({ children }: Selection): boolean =>
  children.some(({ field, children: below }) => field === "pageInfo" && below.some((each) => /^has/.test(each.field)));

function conditionsOf(row: SqlRow, argumentIndex: number, args: Shape): string[] {
  const conditions: string[] = [];
  if (args.includeArchived !== true && args.includeDisabled !== true) conditions.push(visible(row));
  if (args.filter) {
    checkFilter(args.filter);
    conditions.push(filterSql(row, { argumentIndex, path: ["filter"], value: args.filter }));
  }
  return conditions;
}

const cursorConditions = (row: SqlRow, order: Order, argumentIndex: number, args: Shape): string[] =>
  (["after", "before"] as const)
    .filter((name) => isGiven(args[name]))
    .map((name) => cursorCondition(row, order, { argumentIndex, name }));

const membersJson = (page: ConnectionPage): Json =>
  objectOf(page.request.selection.children.map((child) => [child.key, memberJson(child, page)] as const));

function memberJson(child: Selection, page: ConnectionPage): Json {
  const { row, request, total } = page;
  if (child.constant !== undefined) return [child.constant];
  if (child.field === "pageInfo") return pageInfoJson(child, page);
  if (child.field === "totalCount") return [{ sql: `${total}::text` }];
  const value = textSql(child.field === "nodes" ? request.rowJson(row, child.children) : edgeJson(child, page));
  const all = page.cut
    ? `array_to_string((${aggregated(page, value)})[${firstOf(page)}:${lastOf(page)}], ',')`
    : `string_agg(${value}, ',' order by ${orderBy(row, page.order, false)})`;
  return ["[", { sql: `coalesce(${all}, '')` }, "]"];
}

const aggregated = ({ row, order }: ConnectionPage, value: string): string =>
  `array_agg(${value} order by ${orderBy(row, order, false)})`;

/** Where the page begins and ends among what was aggregated. */
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
  const cursor = () => aggregated(page, textSql(cursorJson(row, order)));
  const values: Record<string, () => Json> = {
    hasNextPage: () => (backward ? [String(isGiven(args.before))] : more),
    hasPreviousPage: () => (backward ? more : [String(isGiven(args.after))]),
    startCursor: () => [{ sql: `coalesce((${cursor()})[${firstOf(page)}], 'null')` }],
    endCursor: () => [{ sql: `coalesce((${cursor()})[${lastOf(page)}], 'null')` }],
  };
  return objectOf(
    child.children.map(
      ({ key, field, constant }) => [key, constant ? [constant] : (values[field]?.() ?? ["null"])] as const,
    ),
  );
}

/** A first page without entries. */
const EMPTY: Readonly<Record<string, string>> = {
  nodes: "[]",
  edges: "[]",
  totalCount: "0",
  hasNextPage: "false",
  hasPreviousPage: "false",
};

const emptyJson = ({ children }: Selection): Json =>
  objectOf(
    children.map((child) => {
      if (child.field === "pageInfo") return [child.key, emptyJson(child)] as const;
      return [child.key, [child.constant ?? EMPTY[child.field] ?? "null"]] as const;
    }),
  );

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
