import { createCache } from "../../cache.ts";
import { type BudgetStore, type Grant, HOUR_MS, type Holder, type Kind } from "./store.ts";

/** What a principal has of one budget. */
export interface Standing {
  limit: number;
  remaining: number;
  /** When it is whole again, epoch ms. */
  reset: number;
}

/** What an instance holds for one principal. */
interface Account {
  holder: Holder;
  /** Granted and not yet spent, by kind. */
  leases: Record<Kind, { left: number; until: number }>;
  /** What was left in the store, and when. */
  levels: Record<Kind, { level: number; at: number }>;
  /** One trip to the store at a time. */
  turn: Promise<unknown>;
}

/** Both budgets of every principal, from this instance's point of view. */
export interface Budget {
  /** Spends; false when too little is left, and then nothing is spent. */
  spend(holder: Holder, kind: Kind, amount: number): Promise<boolean>;
  /** What is left; of nobody in particular, everything. */
  standing(holder: Holder | undefined, kind: Kind): Standing;
}

const KINDS: readonly Kind[] = ["points", "requests"];
/** Measured: an account takes 500 to 560 bytes, its holder and promise included. */
const ACCOUNT_BYTES = 600;
/** Older leases go back first: unspent, they would add to a budget that has filled up since. */
const LEASE_MS = 10_000;

/**
 * Budgets an hour, by kind; a limit of 0 is switched off, and then shows `shown` untouched. Most requests are paid from
 * a lease held in memory; the store is asked when it is spent or old.
 */
export function createBudget(
  store: BudgetStore,
  limits: Readonly<Record<Kind, number>>,
  shown: Readonly<Record<Kind, number>>,
): Budget {
  const accounts = createCache<Account>({ name: "budget-leases", sizeOf: () => ACCOUNT_BYTES });

  const accountOf = (holder: Holder): Account => {
    const key = `${holder.organizationId} ${holder.userId}`;
    const known = accounts.get(key);
    if (known) return known;
    const fresh = newAccount(holder, limits);
    accounts.set(key, fresh);
    return fresh;
  };

  const spendLease = ({ leases }: Account, kind: Kind, amount: number): boolean => {
    const lease = leases[kind];
    if (lease.left < amount || isOver(lease)) return false;
    lease.left -= amount;
    return true;
  };

  const lease = async (account: Account, kind: Kind, need: number): Promise<boolean> => {
    if (spendLease(account, kind, need)) return true;
    const asks = KINDS.filter((each) => limits[each] > 0 && (each === kind || isOver(account.leases[each]))).map(
      (each) => ({
        kind: each,
        limit: limits[each],
        need: each === kind ? need : 0,
        returned: handBack(account, each),
      }),
    );
    for (const grant of await store.take(account.holder, asks)) note(account, grant);
    return spendLease(account, kind, need);
  };

  return {
    async spend(holder, kind, amount) {
      if (limits[kind] === 0) return true;
      const account = accountOf(holder);
      if (spendLease(account, kind, amount)) return true;
      const turn = account.turn.then(() => lease(account, kind, amount));
      account.turn = turn.catch(() => {});
      return turn;
    },
    standing(holder, kind) {
      const limit = limits[kind] || shown[kind];
      if (!holder || limits[kind] === 0) return { limit, remaining: limit, reset: Date.now() };
      return standingOf(accountOf(holder), kind, limit);
    },
  };
}

function newAccount(holder: Holder, limits: Readonly<Record<Kind, number>>): Account {
  const at = Date.now();
  return {
    holder,
    leases: { requests: { left: 0, until: 0 }, points: { left: 0, until: 0 } },
    levels: { requests: { level: limits.requests, at }, points: { level: limits.points, at } },
    turn: Promise.resolve(),
  };
}

const isOver = ({ until }: { until: number }): boolean => until < Date.now();

function handBack({ leases }: Account, kind: Kind): number {
  const { left } = leases[kind];
  leases[kind].left = 0;
  return left;
}

function note({ leases, levels }: Account, { kind, granted, level }: Grant): void {
  const at = Date.now();
  leases[kind] = { left: granted, until: at + LEASE_MS };
  levels[kind] = { level, at };
}

function standingOf({ leases, levels }: Account, kind: Kind, limit: number): Standing {
  const now = Date.now();
  const { level, at } = levels[kind];
  const filled = Math.min(limit, leases[kind].left + level + ((now - at) * limit) / HOUR_MS);
  return { limit, remaining: Math.floor(filled), reset: Math.ceil(now + ((limit - filled) * HOUR_MS) / limit) };
}
