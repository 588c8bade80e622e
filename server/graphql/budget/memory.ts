import { LRUCache } from "lru-cache";
import { type Ask, type BudgetStore, type Grant, HOUR_MS, type Holder } from "./store.ts";

const MAX_HOLDERS = 20_000;

/** Budgets in memory, for the one process that has the embedded database: each grant is just what is needed. */
export function memoryBudgets(): BudgetStore {
  const levels = new LRUCache<string, { level: number; at: number }>({ max: MAX_HOLDERS });

  const grant = (holder: Holder, { kind, limit, need, returned }: Ask): Grant => {
    const key = `${holder.organizationId} ${holder.userId} ${kind}`;
    const now = Date.now();
    const known = levels.get(key) ?? { level: limit, at: now };
    const filled = Math.min(limit, known.level + returned + ((now - known.at) * limit) / HOUR_MS);
    const granted = filled >= need ? need : 0;
    levels.set(key, { level: filled - granted, at: now });
    return { kind, granted, level: filled - granted };
  };

  return { take: async (holder, asks) => asks.map((ask) => grant(holder, ask)) };
}
