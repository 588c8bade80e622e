import { type Cache, createCache } from "../../cache.ts";
import {
  addGrant,
  type HeldBudget,
  handBack,
  isOver,
  newHeldBudget,
  type Standing,
  spendLease,
  standingOf,
} from "./held-budget.ts";
import type { BudgetStore, Holder, Kind } from "./store.ts";

/** Both budgets of every principal, from this instance's point of view. */
export interface Budget {
  /** Spends; false when too little is left, and then nothing is spent. */
  spend(holder: Holder, kind: Kind, amount: number): Promise<boolean>;
  /** The rest of a budget; all of it for an unknown holder. */
  standing(holder: Holder | undefined, kind: Kind): Standing;
}

const KINDS: readonly Kind[] = ["points", "requests"];
/** Measured: it takes 500 to 560 bytes, its holder and promise included. */
const HELD_BYTES = 600;

/** The parts that `createBudget` makes budgets of. */
interface Ledger {
  store: BudgetStore;
  limits: Readonly<Record<Kind, number>>;
  held: Cache<HeldBudget>;
}

/**
 * Budgets an hour, by kind; a limit of 0 switches one off, and then `shown` is displayed, untouched. Most requests are
 * paid from a lease held in memory; the store is asked when it is spent or old.
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
      if (!holder || limits[kind] === 0) return { limit, remaining: limit, reset: Date.now() };
      return standingOf(heldBy(ledger, holder), kind, limit);
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

/** Asks the store for a new lease, and returns whether it was enough. The other budget's lease is renewed when it is old. */
async function renewLease({ store, limits }: Ledger, held: HeldBudget, kind: Kind, need: number): Promise<boolean> {
  if (spendLease(held, kind, need)) return true;
  const asks = KINDS.filter((each) => limits[each] > 0 && (each === kind || isOver(held.leases[each]))).map((each) => ({
    kind: each,
    limit: limits[each],
    need: each === kind ? need : 0,
    returned: handBack(held, each),
  }));
  for (const grant of await store.take(held.holder, asks)) addGrant(held, grant);
  return spendLease(held, kind, need);
}
