import { endedAt } from "../../../resources/recorded/duration.ts";
import type { EventRow } from "./event.ts";

/** The share of events in the totals of their session. Costs are in billionths of a dollar, so that sums are exact. */
export interface Totals {
  events: number;
  failures: number;
  turns: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cost: number;
  /** Events of which a cost was reported, computed, or cannot be. */
  reportedCosts: number;
  computedCosts: number;
  missingCosts: number;
  /** When the last of them ended, in epoch ms; 0 for none. */
  endedAt: number;
  /** The number of events that name each model. */
  models: Record<string, number>;
}

/** The members of an event that are counted. */
export type Counted = Pick<
  EventRow,
  | "timestamp"
  | "latency"
  | "success"
  | "kind"
  | "model"
  | "input_tokens"
  | "output_tokens"
  | "cache_read_tokens"
  | "cache_write_tokens"
  | "cost"
  | "computed_cost"
>;

const NANO = 1e9;

/** Nothing. */
export const noTotals = (): Totals => ({
  events: 0,
  failures: 0,
  turns: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: 0,
  reportedCosts: 0,
  computedCosts: 0,
  missingCosts: 0,
  endedAt: 0,
  models: Object.create(null) as Record<string, number>,
});

/** Adds an event to totals, or takes it away again. */
export function count(totals: Totals, row: Counted, times: 1 | -1): void {
  totals.events += times;
  if (!row.success) totals.failures += times;
  if (row.kind === "turn") totals.turns += times;
  if (row.kind === "tool") totals.toolCalls += times;
  totals.inputTokens += times * (row.input_tokens ?? 0);
  totals.outputTokens += times * (row.output_tokens ?? 0);
  totals.cacheReadTokens += times * (row.cache_read_tokens ?? 0);
  totals.cacheWriteTokens += times * (row.cache_write_tokens ?? 0);
  totals.cost += times * Math.round(Number(row.cost ?? row.computed_cost ?? 0) * NANO);
  if (row.cost !== null) totals.reportedCosts += times;
  else if (row.computed_cost !== null) totals.computedCosts += times;
  else if (hasTokens(row)) totals.missingCosts += times;
  if (times > 0) totals.endedAt = Math.max(totals.endedAt, endedAt(row));
  if (row.model !== null) totals.models[row.model] = (totals.models[row.model] ?? 0) + times;
}

const hasTokens = (row: Counted): boolean =>
  (row.input_tokens ?? row.output_tokens ?? row.cache_read_tokens ?? row.cache_write_tokens) !== null;

/** Cost as the database takes it. */
export const costText = ({ cost }: Totals): string => (cost / NANO).toFixed(9);

/** Counts by model, added up; those that come to nothing are left out. */
export function addModels(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sum = new Map(Object.entries(a));
  for (const [model, times] of Object.entries(b)) sum.set(model, (sum.get(model) ?? 0) + times);
  return Object.fromEntries([...sum].filter(([, times]) => times > 0).sort(([x], [y]) => (x < y ? -1 : 1)));
}
