import { createCache } from "../../cache.ts";
import { type Ask, type BudgetStore, type Grant, HOUR_MS, type Holder } from "./store.ts";

/** Two numbers in an object. */
const LEVEL_BYTES = 60;

/** Budgets in memory, for the one process that has the embedded database: each grant is exactly the need. */
export function memoryBudgets(): BudgetStore {
  const levels = createCache<{ level: number; at: number }>({ name: "budgets", sizeOf: () => LEVEL_BYTES });

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
