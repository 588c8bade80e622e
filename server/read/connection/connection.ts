import type { ToMany } from "../entity.ts";
import { filterSql } from "../filter/filter.ts";
import { checkFilter } from "../filter/limits.ts";
import { type Json, objectOf, textSql } from "../json.ts";
import { reach, visible } from "../link.ts";
import { type Build, column, entityOf, newRow, type Row, shapeOf } from "../row.ts";
import type { Selection } from "../selection.ts";
import type { Shape } from "../shape.ts";
import { beyond, cursorJson, type Order, orderBy, orderOf } from "./order.ts";
import { pageOf } from "./page.ts";

/** A page that is asked for: of which link of which row (none at the root), and how its rows are written. */
export interface Asked {
  source: Row | null;
  link: ToMany;
  selection: Selection;
  rowJson(row: Row, selections: readonly Selection[]): Json;
  /** The order of a list that has one of its own, such as the rank of a search. */
  order?: Order;
}

/** What the members of a connection share. They are aggregates over `row`. */
interface Page {
  size: number;
  backward: boolean;
  order: Order;
  row: Row;
  /** Whether more rows than the page has may be aggregated. */
  cut: boolean;
  args: Shape;
  asked: Asked;
  /** SQL of how many there are, on whatever page. */
  total: string;
}

/** SQL of the text of a Relay connection. Rows of a page that have few each of something get them all at once. */
export function connectionJson(build: Build, asked: Asked): string {
  const { source, link, selection } = asked;
  const { after, before } = shapeOf(build, selection);
  const whole = !present(after) && !present(before);
  return source?.page && link.few && whole ? together(build, asked, source) : onePage(build, asked);
}

/**
 * One page by keyset, one row more than asked for where it matters whether more follows. The limit is a literal: as a
 * parameter PostgreSQL plans the statement anew on each execution. HAVING makes it one row, whatever of it is selected:
 * not every member is an aggregate.
 */
function onePage(build: Build, asked: Asked): string {
  const { source, link, selection } = asked;
  const args = shapeOf(build, selection);
  const { size, backward } = pageOf(args);
  const inner = newRow(build, entityOf(build, link.entity));
  const order = asked.order ?? orderOf(inner, args, link.oldestFirst);
  const conditions = conditionsOf(inner, selection.slot, args);
  const place = placeOf(inner, order, selection.slot, args);
  const { from, where } = reach(inner, source, link);
  const ordered = orderBy(inner, order, backward);
  const matching = `from ${from}${inner.frame.joins.join("")} where ${[where, ...conditions].join(" and ")}`;
  const cut = asksForMore(selection);
  const rows = `select ${inner.alias}.* ${[matching, ...place].join(" and ")} order by ${ordered} limit ${cut ? size + 1 : size}`;
  const row = newRow(build, inner.entity);
  const page = { name: `p${row.alias}`, used: false };
  row.page = page;
  const json = textSql(
    membersJson({ size, backward, order, row, cut, args, asked, total: `(select count(*) ${matching})` }),
  );
  const joins = row.frame.joins.join("");
  return page.used
    ? `(with ${page.name} as materialized (${rows}) select ${json} from ${page.name} ${row.alias}${joins} having true)`
    : `(select ${json} from (${rows}) ${row.alias}${joins} having true)`;
}

/** The first page of a link for every row of the page `source` is on, in one go: joined to it, grouped by it. */
function together(build: Build, asked: Asked, source: Row): string {
  const { link, selection } = asked;
  const args = shapeOf(build, selection);
  const owner = newRow(build, source.entity);
  const row = newRow(build, entityOf(build, link.entity));
  const order = asked.order ?? orderOf(row, args, link.oldestFirst);
  const conditions = conditionsOf(row, selection.slot, args);
  const { from, where } = reach(row, owner, link);
  const json = textSql(membersJson({ ...pageOf(args), order, row, cut: true, args, asked, total: "count(*)" }));
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

function conditionsOf(row: Row, slot: number, args: Shape): string[] {
  const conditions: string[] = [];
  if (args.includeArchived !== true && args.includeDisabled !== true) conditions.push(visible(row));
  if (args.filter) {
    checkFilter(args.filter);
    conditions.push(filterSql(row, { slot, path: ["filter"], value: args.filter }));
  }
  return conditions;
}

const placeOf = (row: Row, order: Order, slot: number, args: Shape): string[] =>
  (["after", "before"] as const)
    .filter((name) => present(args[name]))
    .map((name) => beyond(row, order, { slot, name }));

const membersJson = (page: Page): Json =>
  objectOf(page.asked.selection.children.map((child) => [child.key, memberJson(child, page)] as const));

function memberJson(child: Selection, page: Page): Json {
  const { row, asked, total } = page;
  if (child.constant !== undefined) return [child.constant];
  if (child.field === "pageInfo") return pageInfoJson(child, page);
  if (child.field === "totalCount") return [{ sql: `${total}::text` }];
  const value = textSql(child.field === "nodes" ? asked.rowJson(row, child.children) : edgeJson(child, page));
  const all = page.cut
    ? `array_to_string((${aggregated(page, value)})[${firstOf(page)}:${lastOf(page)}], ',')`
    : `string_agg(${value}, ',' order by ${orderBy(row, page.order, false)})`;
  return ["[", { sql: `coalesce(${all}, '')` }, "]"];
}

const aggregated = ({ row, order }: Page, value: string): string =>
  `array_agg(${value} order by ${orderBy(row, order, false)})`;

/** Where the page begins and ends among what was aggregated. */
const firstOf = ({ size, backward, cut }: Page): string =>
  backward && cut ? `greatest(count(*) - ${size - 1}, 1)::int` : "1";
const lastOf = ({ size, backward }: Page): string => (backward ? "count(*)::int" : `least(count(*), ${size})::int`);

const edgeJson = (child: Selection, { row, order, asked }: Page): Json =>
  objectOf(
    child.children.map(({ key, field, constant, children }) => {
      if (constant !== undefined) return [key, [constant]] as const;
      return [key, field === "cursor" ? cursorJson(row, order) : asked.rowJson(row, children)] as const;
    }),
  );

function pageInfoJson(child: Selection, page: Page): Json {
  const { size, backward, row, order, args } = page;
  const more: Json = [{ sql: `(count(*) > ${size})::text` }];
  const cursor = () => aggregated(page, textSql(cursorJson(row, order)));
  const values: Record<string, () => Json> = {
    hasNextPage: () => (backward ? [String(present(args.before))] : more),
    hasPreviousPage: () => (backward ? more : [String(present(args.after))]),
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

const present = (value: unknown): boolean => value !== undefined && value !== null;
