import { readOwn } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { SqlRow } from "../entity.ts";
import { column, entityOf, inTenant, newRow } from "../row.ts";
import { type Order, orderBy } from "./order.ts";

/** More rows than this are not sorted for one page. */
const MOST_SORTED = 200_000;
/** The mark that the database answers instead of a list that is too long to be sorted. JSON never begins like this. */
const TOO_MANY = "!sort";

/** The link by whose rows a list is ordered, where its index has the rows of each in the order of the step behind it. */
const linkOf = ({ steps: [step, tie, another] }: Order): string | undefined =>
  typeof step?.served === "object" && tie?.name === "createdAt" && !another ? step.served.by : undefined;

/** Tells whether a list is in an order that no index has. */
const unserved = (order: Order): boolean => order.steps[0]?.served !== true && linkOf(order) === undefined;

/** SQL of a list of all rows, or of a mark where they are in no index's order and too many. */
export function sortable(row: SqlRow, order: Order, json: string): string {
  const { most } = row.entity.tuning ?? {};
  if (!most || !unserved(order)) return json;
  return `(case when ${most(row.build)} > ${MOST_SORTED} then '${TOO_MANY}' else ${json} end)`;
}

/** @throws inputError when a text is the mark of a list that was too long to be sorted. */
export function refuseUnsorted(text: string | undefined): void {
  if (text !== TOO_MANY) return;
  throw inputError(
    `this order would sort more than ${MOST_SORTED} entries for one page; filter by team, project, cycle, assignee or state, or sort by createdAt, updatedAt, priority, title or workflowState`,
    "sort",
  );
}

/** The link by whose rows the whole list is ordered, joined as the row's own; undefined where it is ordered otherwise. */
export function orderingRow(row: SqlRow, order: Order): { target: SqlRow; by: string } | undefined {
  const name = linkOf(order);
  const link = name === undefined ? undefined : readOwn(row.entity.one, name);
  if (!link?.by) return undefined;
  const target = { ...newRow(row.build, entityOf(row.build, link.entity)), frame: row.frame };
  row.frame.rows.set(`${row.alias}.${name}`, target);
  return { target, by: link.by };
}

/** A page of a list as it is asked for. `rows` is SQL of rows that satisfy the conditions, up to its ORDER BY. */
interface OrderedPage {
  rows: string;
  conditions: string;
  order: Order;
  backward: boolean;
  size: number;
}

/**
 * SQL of the first rows of a list that is ordered by the rows of a link: as many of each of them, by their index, and of
 * these the first. The rows of the link come in their order, so that those behind the page are not looked at.
 * Raw SQL: a part of what the read planner writes.
 */
export function firstOfEach(row: SqlRow, few: { target: SqlRow; by: string }, page: OrderedPage): string {
  const { alias } = row;
  const { target, by } = few;
  const { rows, conditions, order, backward, size } = page;
  const [step, ...ties] = order.steps;
  const byLink = `${step?.sql(row)} ${step?.descending !== backward ? "desc" : "asc"}`;
  return `select ${alias}.* from (select ${target.alias}.* from "${target.entity.table}" ${target.alias}
      where ${inTenant(target)} order by ${byLink}) ${target.alias} cross join lateral (
      select ${alias}.* ${rows} and ${column(row, by)} = ${column(target, "id")}${conditions}
      order by ${orderBy(row, { ...order, steps: ties }, backward)} limit ${size}) ${alias}
    order by ${orderBy(row, order, backward)} limit ${size}`;
}
