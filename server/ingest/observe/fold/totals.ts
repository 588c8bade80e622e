import { getOwnProperty } from "../../../../formats/own.ts";
import { NANODOLLARS_PER_DOLLAR } from "../../../prices/prices.ts";
import {
  EVENT_COUNT_COLUMNS,
  eventEndMs,
  SESSION_SUM_COLUMNS,
  TOKEN_COLUMNS,
} from "../../../resources/recorded/kinds.ts";
import type { FoldedEventRow } from "./event.ts";

/**
 * Contribution of events to the totals of their session. Costs are in billionths of a US dollar, so that sums are
 * exact.
 */
export interface SessionTotals
  extends Record<(typeof EVENT_COUNT_COLUMNS)[number] | (typeof SESSION_SUM_COLUMNS)[number], number> {
  /** End of the last event in epoch ms; 0 for none. */
  ended_at: number;
  /** Number of events by model. */
  models: Record<string, number>;
}

/** Columns of an event that count toward the totals. */
export type CountedColumns = Pick<
  FoldedEventRow,
  "timestamp" | "latency" | "success" | "kind" | "model" | (typeof TOKEN_COLUMNS)[number] | "cost" | "computed_cost"
>;

const NOTHING = Object.fromEntries(
  [...EVENT_COUNT_COLUMNS, ...SESSION_SUM_COLUMNS, "ended_at"].map((name) => [name, 0]),
);

export const createEmptyTotals = (): SessionTotals => ({ ...NOTHING, models: Object.create(null) }) as SessionTotals;

/** Adds an event to the totals (`times` 1) or removes an event (`times` -1). */
export function adjustTotalsByEvent(totals: SessionTotals, row: CountedColumns, times: 1 | -1): void {
  totals.events += times;
  if (!row.success) totals.failures += times;
  if (row.kind === "turn") totals.turns += times;
  if (row.kind === "tool") totals.tool_calls += times;
  for (const name of TOKEN_COLUMNS) totals[name] += times * (row[name] ?? 0);
  totals.cost += times * Math.round(Number(row.cost ?? row.computed_cost ?? 0) * NANODOLLARS_PER_DOLLAR);
  if (row.cost !== null) totals.reported_costs += times;
  else if (row.computed_cost !== null) totals.computed_costs += times;
  else if (TOKEN_COLUMNS.some((name) => row[name] !== null)) totals.missing_costs += times;
  if (times > 0) totals.ended_at = Math.max(totals.ended_at, eventEndMs(row));
  if (row.model !== null) totals.models[row.model] = (getOwnProperty(totals.models, row.model) ?? 0) + times;
}

/** Returns the cost in US dollars as text for the database. */
export const formatTotalCost = ({ cost }: SessionTotals): string => (cost / NANODOLLARS_PER_DOLLAR).toFixed(9);

/** Adds the counts by model. Removes models whose count is zero or less. */
export function addModels(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sum = new Map(Object.entries(a));
  for (const [model, times] of Object.entries(b)) sum.set(model, (sum.get(model) ?? 0) + times);
  return Object.fromEntries([...sum].filter(([, times]) => times > 0).sort(([x], [y]) => (x < y ? -1 : 1)));
}
