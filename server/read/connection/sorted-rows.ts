import { getOwnProperty } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { SqlRow } from "../entity.ts";
import { columnSql, findEntity, isReadableByCallerSql, newRow } from "../row.ts";
import { type Order, orderBySql } from "./order.ts";

/** Maximum number of rows that the database sorts for one page. */
const MOST_SORTED = 200_000;
/** Value that the database returns instead of a list that is too long to sort. JSON never begins with `!`. */
const TOO_MANY = "!sort";

/**
 * Returns the name of the link whose rows determine the order of a list. Returns undefined unless the second and last
 * step is `createdAt`, because only then the link's index returns the rows of each linked row in order.
 */
const linkOf = ({ steps: [step, tie, another] }: Order): string | undefined =>
  typeof step?.served === "object" && tie?.name === "createdAt" && !another ? step.served.by : undefined;

/** Returns true if no index returns a list's order. */
const unserved = (order: Order): boolean => order.steps[0]?.served !== true && linkOf(order) === undefined;

/**
 * Returns SQL for a list. The SQL returns the mark TOO_MANY if no index has the order and the table has too many rows
 * to sort.
 */
export function rejectLargeSortSql(row: SqlRow, order: Order, json: string): string {
  const { most } = row.entity.tuning ?? {};
  if (!most || !unserved(order)) return json;
  return `(case when ${most(row.build)} > ${MOST_SORTED} then '${TOO_MANY}' else ${json} end)`;
}

/** @throws inputError if a text is the mark of a list that was too long to sort. */
export function throwIfTooManyToSort(text: string | undefined): void {
  if (text !== TOO_MANY) return;
  throw inputError(
    `this order would sort more than ${MOST_SORTED} entries for one page; filter by team, project, cycle, assignee or state, or sort by createdAt, updatedAt, priority, title or workflowState`,
    "sort",
  );
}

/** Joins the linked row that determines a list's order. Returns undefined for a list with another order. */
export function joinOrderingRow(row: SqlRow, order: Order): { target: SqlRow; by: string } | undefined {
  const name = linkOf(order);
  const link = name === undefined ? undefined : getOwnProperty(row.entity.one, name);
  if (!link?.by) return undefined;
  const target = { ...newRow(row.build, findEntity(row.build, link.entity)), frame: row.frame };
  row.frame.rows.set(`${row.alias}.${name}`, target);
  return { target, by: link.by };
}

/** A requested page of a list. `rows` is SQL for the matching rows, up to its ORDER BY. */
interface OrderedPage {
  rows: string;
  conditions: string;
  order: Order;
  backward: boolean;
  size: number;
}

/**
 * Raw SQL: a fragment for the read planner. Returns SQL for the first rows of a list that is sorted by a linked row.
 * The SQL takes up to `size` rows per linked row through the link's index, and then the first `size` of these rows. The
 * SQL reads the linked rows in order and stops at the end of the page.
 */
export function firstRowsPerLinkedRowSql(row: SqlRow, few: { target: SqlRow; by: string }, page: OrderedPage): string {
  const { alias } = row;
  const { target, by } = few;
  const { rows, conditions, order, backward, size } = page;
  const [step, ...ties] = order.steps;
  const byLink = `${step?.sql(row)} ${step?.descending !== backward ? "desc" : "asc"}`;
  return `select ${alias}.* from (select ${target.alias}.* from "${target.entity.table}" ${target.alias}
      where ${isReadableByCallerSql(target)} order by ${byLink}) ${target.alias} cross join lateral (
      select ${alias}.* ${rows} and ${columnSql(row, by)} = ${columnSql(target, "id")}${conditions}
      order by ${orderBySql(row, { ...order, steps: ties }, backward)} limit ${size}) ${alias}
    order by ${orderBySql(row, order, backward)} limit ${size}`;
}
