import type { SqlRow, StatementBuild } from "../entity.ts";
import { filterSql } from "../filter/filter.ts";
import { jsonToTextSql } from "../json.ts";
import { buildLinkedRowsClauses, visibleSql } from "../link.ts";
import { columnSql, findEntity, getArgumentShape, newRow } from "../row.ts";
import type { Selection } from "../selection.ts";
import type { ArgumentShape } from "../shape.ts";
import { cursorConditionSql } from "./cursor.ts";
import { type ConnectionRequest, emptyPageJson, pageMembersJson } from "./members.ts";
import { type Order, orderBySql, parseOrder } from "./order.ts";
import { isGiven, parsePage } from "./page.ts";
import { firstRowsPerLinkedRowSql, joinOrderingRow, rejectLargeSortSql } from "./sorted-rows.ts";

/**
 * SQL for the JSON text of a Relay connection. A link declared as `preload` is read once for all rows of the outer
 * page.
 */
export function connectionJsonSql(build: StatementBuild, request: ConnectionRequest): string {
  const { source, link, selection } = request;
  const { after, before } = getArgumentShape(build, selection);
  const whole = !isGiven(after) && !isGiven(before);
  return source?.page && link.preload && whole ? preloadedPage(build, request, source) : onePage(build, request);
}

/**
 * SQL for one page of a keyset-paged list, with one extra row if the query asks whether more rows follow. The limit
 * is a literal, because PostgreSQL would plan the statement again on each execution if the limit were a parameter.
 * HAVING guarantees exactly one result row, also when no selected member is an aggregate.
 */
function onePage(build: StatementBuild, request: ConnectionRequest): string {
  const { source, link, selection } = request;
  const args = getArgumentShape(build, selection);
  const { size, backward } = parsePage(args);
  const inner = newRow(build, findEntity(build, link.entity));
  const order = request.order ?? parseOrder(inner, args, link.oldestFirst);
  const few = source || args.filter ? undefined : joinOrderingRow(inner, order);
  const conditions = request.passed ? [] : conditionsSql(inner, selection.argumentIndex, args, !source);
  const cursors = cursorConditions(inner, order, selection.argumentIndex, args);
  const { from, where } = buildLinkedRowsClauses(inner, source, link);
  const ordered = orderBySql(inner, order, backward);
  const matching = `from ${from}${inner.frame.joins.join("")} where ${[where, ...conditions].join(" and ")}`;
  const cut = asksForMore(selection);
  const limit = cut ? size + 1 : size;
  const rows = few
    ? firstRowsPerLinkedRowSql(inner, few, {
        rows: matching,
        conditions: cursors.map((each) => ` and ${each}`).join(""),
        order,
        backward,
        size: limit,
      })
    : `select ${inner.alias}.* ${[matching, ...cursors].join(" and ")} order by ${ordered} limit ${limit}`;
  const row = newRow(build, inner.entity);
  const page = { name: `p${row.alias}`, used: false };
  row.page = page;
  const json = jsonToTextSql(
    pageMembersJson({ size, backward, order, row, cut, args, request, total: `(select count(*) ${matching})` }),
  );
  const joins = row.frame.joins.join("");
  const list = page.used
    ? `(with ${page.name} as materialized (${rows}) select ${json} from ${page.name} ${row.alias}${joins} having true)`
    : `(select ${json} from (${rows}) ${row.alias}${joins} having true)`;
  return source || args.filter || request.order ? list : rejectLargeSortSql(inner, order, list);
}

/**
 * Reads the first page of a link for all rows of the outer page at once, with one join that is grouped by the outer
 * row. The outer page is the page that contains `source`.
 */
function preloadedPage(build: StatementBuild, request: ConnectionRequest, source: SqlRow): string {
  const { link, selection } = request;
  const args = getArgumentShape(build, selection);
  const owner = newRow(build, source.entity);
  const row = newRow(build, findEntity(build, link.entity));
  const order = request.order ?? parseOrder(row, args, link.oldestFirst);
  const conditions = conditionsSql(row, selection.argumentIndex, args);
  const { from, where } = buildLinkedRowsClauses(row, owner, link, "each");
  const json = jsonToTextSql(
    pageMembersJson({ ...parsePage(args), order, row, cut: true, args, request, total: "count(*)" }),
  );
  const group = `g${row.alias}`;
  const page = source.page ?? { name: "", used: true };
  page.used = true;
  source.frame.joins.push(` left join (select ${columnSql(owner, "id")} as id, ${json} as v
    from ${page.name} ${owner.alias}, ${from}${row.frame.joins.join("")} where ${[where, ...conditions].join(" and ")}
    group by ${columnSql(owner, "id")}) ${group} on ${group}.id = ${columnSql(source, "id")}`);
  return `coalesce(${group}.v, ${jsonToTextSql(emptyPageJson(selection, row))})`;
}

const asksForMore = ({ children }: Selection): boolean =>
  children.some(({ field, children: below }) => field === "pageInfo" && below.some((each) => /^has/.test(each.field)));

/** Returns the SQL condition for a list's arguments: the row is visible and matches the filter. */
export function conditionsSql(row: SqlRow, argumentIndex: number, args: ArgumentShape, page = false): string[] {
  const conditions: string[] = [];
  if (args.includeArchived !== true && args.includeDisabled !== true) conditions.push(visibleSql(row));
  if (args.filter) conditions.push(filterSql(row, { argumentIndex, path: ["filter"], value: args.filter, page }));
  return conditions;
}

const cursorConditions = (row: SqlRow, order: Order, argumentIndex: number, args: ArgumentShape): string[] =>
  (["after", "before"] as const)
    .filter((name) => isGiven(args[name]))
    .map((name) => cursorConditionSql(row, order, { argumentIndex, name }));
