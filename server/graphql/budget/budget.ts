import { timeIn } from "../../../concurrency/held-clock.ts";
import { type Cache, createCache } from "../../cache.ts";
import {
  addGrant,
  endLease,
  type HeldBudget,
  isLeaseExpired,
  newHeldBudget,
  readStanding,
  type Standing,
  spendLease,
} from "./held-budget.ts";
import type { BudgetStore, Holder, Kind } from "./store.ts";

/** The budgets of points and requests of every principal, as this server process sees them. */
export interface Budget {
  /** Spends from a budget. Returns false and spends nothing if too little is left. */
  spend(holder: Holder, kind: Kind, amount: number): Promise<boolean>;
  /** Returns the remaining budget; for an unknown holder the whole budget. */
  standing(holder: Holder | undefined, kind: Kind): Standing;
}

const KINDS: readonly Kind[] = ["points", "requests"];
/** Measured: 500 to 560 bytes, including the holder and the promise. */
const HELD_BYTES = 600;

/** The parts from which `createBudget` creates budgets. */
interface Ledger {
  store: BudgetStore;
  limits: Readonly<Record<Kind, number>>;
  held: Cache<HeldBudget>;
}

/**
 * Creates the hourly budgets. A limit of 0 disables a budget; `shown` is then displayed as an untouched limit. Most
 * requests are paid from a lease in memory. The store is needed only when the lease is spent or expired.
 */
export function createBudget(
  store: BudgetStore,
  limits: Readonly<Record<Kind, number>>,
  shown: Readonly<Record<Kind, number>>,
): Budget {
  const held = createCache<HeldBudget>({ name: "budget-leases", sizeOf: () => HELD_BYTES });
  const ledger = { store, limits, held };
  return {
    spend: async (holder, kind, amount) => limits[kind] === 0 || spend(ledger, heldBy(ledger, holder), kind, amount),
    standing(holder, kind) {
      const limit = limits[kind] || shown[kind];
      if (!holder || limits[kind] === 0) return { limit, remaining: limit, reset: timeIn(0) };
      return readStanding(heldBy(ledger, holder), kind, limit);
    },
  };
}

function heldBy({ held, limits }: Ledger, holder: Holder): HeldBudget {
  const key = `${holder.organizationId} ${holder.userId}`;
  const known = held.get(key);
  if (known) return known;
  const fresh = newHeldBudget(holder, limits);
  held.set(key, fresh);
  return fresh;
}

function spend(ledger: Ledger, held: HeldBudget, kind: Kind, amount: number): boolean | Promise<boolean> {
  if (spendLease(held, kind, amount)) return true;
  const spending = held.pending.then(() => renewLease(ledger, held, kind, amount));
  held.pending = spending.catch(() => {});
  return spending;
}

/**
 * Takes a new lease from the store, and returns whether the lease suffices. Also renews the other budget's lease if
 * it has expired.
 */
async function renewLease({ store, limits }: Ledger, held: HeldBudget, kind: Kind, need: number): Promise<boolean> {
  if (spendLease(held, kind, need)) return true;
  const asks = KINDS.filter((each) => limits[each] > 0 && (each === kind || isLeaseExpired(held.leases[each]))).map(
    (each) => ({
      kind: each,
      limit: limits[each],
      need: each === kind ? need : 0,
      returned: endLease(held, each),
    }),
  );
  for (const grant of await store.take(held.holder, asks)) addGrant(held, grant);
  return spendLease(held, kind, need);
}
