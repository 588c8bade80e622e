import { getWallClockMsAfter } from "../../../concurrency/held-clock.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import type { BudgetGrant, BudgetHolder, BudgetKind } from "./store.ts";

/** The share of one principal's budgets that this process holds. */
export interface BudgetShare {
  holder: BudgetHolder;
  /** Granted and unspent amounts, by kind. `until` is a time of `performance.now()`. */
  leases: Record<BudgetKind, { left: number; until: number }>;
  /** The last known levels in the store, with times of `performance.now()`. */
  levels: Record<BudgetKind, { level: number; at: number }>;
  /** The last access to the store. Accesses run one after another. */
  pending: Promise<unknown>;
}

/** Returns the budgets of a principal that this process has not seen yet. */
export function createBudgetShare(holder: BudgetHolder, limits: Readonly<Record<BudgetKind, number>>): BudgetShare {
  const at = performance.now();
  return {
    holder,
    leases: { requests: { left: 0, until: 0 }, points: { left: 0, until: 0 } },
    levels: { requests: { level: limits.requests, at }, points: { level: limits.points, at } },
    pending: Promise.resolve(),
  };
}

/** Pays from the lease of a kind. Returns false if the lease has too little left or has expired. */
export function spendFromLease({ leases }: BudgetShare, kind: BudgetKind, amount: number): boolean {
  const lease = leases[kind];
  if (lease.left < amount || isLeaseExpired(lease)) return false;
  lease.left -= amount;
  return true;
}

export const isLeaseExpired = ({ until }: { until: number }): boolean => until < performance.now();

/** Ends a lease and returns its unspent amount. */
export function endLeaseAndTakeUnspent({ leases }: BudgetShare, kind: BudgetKind): number {
  const { left } = leases[kind];
  leases[kind].left = 0;
  return left;
}

/**
 * Lifetime of a lease in ms. The process returns an older lease before it takes another lease. Otherwise the unspent
 * amount of the old lease and a budget that has refilled since would together exceed the limit.
 */
const LEASE_MS = 10_000;

/** Stores a grant as the lease of its kind. */
export function storeGrantAsLease({ leases, levels }: BudgetShare, { kind, granted, level }: BudgetGrant): void {
  const at = performance.now();
  leases[kind] = { left: granted, until: at + LEASE_MS };
  levels[kind] = { level, at };
}

/** Limit, remaining amount and reset time of a budget. */
export interface BudgetStatus {
  limit: number;
  remaining: number;
  /** Time at which the budget is full again, in milliseconds since 1970. */
  reset: number;
}

/** Returns what is left of a principal's budget, as far as this process knows. */
export function estimateBudgetStatus({ leases, levels }: BudgetShare, kind: BudgetKind, limit: number): BudgetStatus {
  const { level, at } = levels[kind];
  const filled = Math.min(limit, leases[kind].left + level + ((performance.now() - at) * limit) / HOUR_MS);
  const untilFull = ((limit - filled) * HOUR_MS) / limit;
  return { limit, remaining: Math.floor(filled), reset: Math.ceil(getWallClockMsAfter(untilFull)) };
}
