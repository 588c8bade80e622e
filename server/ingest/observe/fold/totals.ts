import { readOwn } from "../../../../formats/own.ts";
import { NANO } from "../../../prices/prices.ts";
import { COUNTS, endedAt, SUMS, TOKENS } from "../../../resources/recorded/kinds.ts";
import type { EventRow } from "./event.ts";

/**
 * Contribution of events to the totals of their session. Costs are in billionths of a US dollar, so that sums are
 * exact.
 */
export interface Totals extends Record<(typeof COUNTS)[number] | (typeof SUMS)[number], number> {
  /** End of the last event in epoch ms; 0 for none. */
  ended_at: number;
  /** Number of events by model. */
  models: Record<string, number>;
}

/** Columns of an event that count toward the totals. */
export type CountedColumns = Pick<
  EventRow,
  "timestamp" | "latency" | "success" | "kind" | "model" | (typeof TOKENS)[number] | "cost" | "computed_cost"
>;

const NOTHING = Object.fromEntries([...COUNTS, ...SUMS, "ended_at"].map((name) => [name, 0]));

export const noTotals = (): Totals => ({ ...NOTHING, models: Object.create(null) }) as Totals;

/** Adds an event to the totals (`times` 1) or removes an event (`times` -1). */
export function countEvent(totals: Totals, row: CountedColumns, times: 1 | -1): void {
  totals.events += times;
  if (!row.success) totals.failures += times;
  if (row.kind === "turn") totals.turns += times;
  if (row.kind === "tool") totals.tool_calls += times;
  for (const name of TOKENS) totals[name] += times * (row[name] ?? 0);
  totals.cost += times * Math.round(Number(row.cost ?? row.computed_cost ?? 0) * NANO);
  if (row.cost !== null) totals.reported_costs += times;
  else if (row.computed_cost !== null) totals.computed_costs += times;
  else if (TOKENS.some((name) => row[name] !== null)) totals.missing_costs += times;
  if (times > 0) totals.ended_at = Math.max(totals.ended_at, endedAt(row));
  if (row.model !== null) totals.models[row.model] = (readOwn(totals.models, row.model) ?? 0) + times;
}

/** Returns the cost in US dollars as text for the database. */
export const costText = ({ cost }: Totals): string => (cost / NANO).toFixed(9);

/** Adds the counts by model. Removes models whose count is zero or less. */
export function addModels(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sum = new Map(Object.entries(a));
  for (const [model, times] of Object.entries(b)) sum.set(model, (sum.get(model) ?? 0) + times);
  return Object.fromEntries([...sum].filter(([, times]) => times > 0).sort(([x], [y]) => (x < y ? -1 : 1)));
}
