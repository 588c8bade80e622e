import { HOUR_MS } from "../../../formats/time.ts";
import type { Grant, Holder, Kind } from "./store.ts";

/** The share of one principal's budgets that this process holds. */
export interface HeldBudget {
  holder: Holder;
  /** Granted and not yet spent, by kind. */
  leases: Record<Kind, { left: number; until: number }>;
  /** The last known levels of the store, with their times. */
  levels: Record<Kind, { level: number; at: number }>;
  /** The last trip to the store: they go one after another. */
  pending: Promise<unknown>;
}

/** The budgets of a principal that is not known yet. */
export function newHeldBudget(holder: Holder, limits: Readonly<Record<Kind, number>>): HeldBudget {
  const at = Date.now();
  return {
    holder,
    leases: { requests: { left: 0, until: 0 }, points: { left: 0, until: 0 } },
    levels: { requests: { level: limits.requests, at }, points: { level: limits.points, at } },
    pending: Promise.resolve(),
  };
}

/** Pays from the lease of a kind; false when too little of it is left, or it is old. */
export function spendLease({ leases }: HeldBudget, kind: Kind, amount: number): boolean {
  const lease = leases[kind];
  if (lease.left < amount || isOver(lease)) return false;
  lease.left -= amount;
  return true;
}

/** True when a lease is too old to be spent. */
export const isOver = ({ until }: { until: number }): boolean => until < Date.now();

/** Ends a lease and answers its rest. */
export function handBack({ leases }: HeldBudget, kind: Kind): number {
  const { left } = leases[kind];
  leases[kind].left = 0;
  return left;
}

/** Older leases go back first: unspent, they would add to a budget that has filled up since. */
const LEASE_MS = 10_000;

/** Takes a grant of the store as the lease of its kind. */
export function addGrant({ leases, levels }: HeldBudget, { kind, granted, level }: Grant): void {
  const at = Date.now();
  leases[kind] = { left: granted, until: at + LEASE_MS };
  levels[kind] = { level, at };
}

/** A principal's standing with one budget. */
export interface Standing {
  limit: number;
  remaining: number;
  /** When it is whole again, epoch ms. */
  reset: number;
}

/** The standing of the principal, as far as this process knows. */
export function standingOf({ leases, levels }: HeldBudget, kind: Kind, limit: number): Standing {
  const now = Date.now();
  const { level, at } = levels[kind];
  const filled = Math.min(limit, leases[kind].left + level + ((now - at) * limit) / HOUR_MS);
  return { limit, remaining: Math.floor(filled), reset: Math.ceil(now + ((limit - filled) * HOUR_MS) / limit) };
}
