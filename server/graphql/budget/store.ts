import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import type { Database } from "../../../db/open.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { createCache } from "../../cache.ts";

/** Kinds of budgets. Every principal has both. */
export type BudgetKind = "requests" | "points";

/** Holder of budgets: a user in an organization, or an account without an organization. */
export interface BudgetHolder {
  organizationId: string;
  userId: string;
}

/** A request for a grant from one budget. */
export interface BudgetGrantRequest {
  kind: BudgetKind;
  /** Budget per hour. The store refills the budget continuously. */
  limit: number;
  /** Amount that the caller needs. A smaller grant is useless to the caller. */
  need: number;
  /** Unspent amount of an earlier grant, returned to the budget. */
  returned: number;
}

/**
 * Response to a grant request. `granted` is 0 if less than `need` is left; otherwise `granted` is `need`, or more than
 * `need` while plenty is left.
 */
export interface BudgetGrant {
  kind: BudgetKind;
  granted: number;
  /** Remaining amount after the grant. */
  level: number;
}

/** The store of budgets. However many processes ask, the store never grants more than the budget contains. */
export interface BudgetStore {
  take(holder: BudgetHolder, asks: readonly BudgetGrantRequest[]): Promise<readonly BudgetGrant[]>;
}

/**
 * Maximum share of the remaining budget in one grant. While plenty is left, grants are large and few; near the limit,
 * grants are small and exact.
 */
const LEASE_SHARE = 1 / 50;

/** An object with two numbers. */
const LEVEL_BYTES = 60;

/** Budgets in memory, for the only process of an embedded database. Each grant equals the need. */
export function createMemoryBudgetStore(): BudgetStore {
  const levels = createCache<{ level: number; at: number }>({ name: "budgets", sizeOf: () => LEVEL_BYTES });

  const grant = (holder: BudgetHolder, { kind, limit, need, returned }: BudgetGrantRequest): BudgetGrant => {
    const key = `${holder.organizationId} ${holder.userId} ${kind}`;
    const now = performance.now();
    const known = levels.get(key) ?? { level: limit, at: now };
    const filled = Math.min(limit, known.level + returned + ((now - known.at) * limit) / HOUR_MS);
    const granted = filled >= need ? need : 0;
    levels.set(key, { level: filled - granted, at: now });
    return { kind, granted, level: filled - granted };
  };

  return { take: async (holder, asks) => asks.map((ask) => grant(holder, ask)) };
}

/**
 * Budgets in PostgreSQL, shared by all servers. Each budget is one row, and one statement refills the budgets and takes
 * the grants. If the servers' clocks differ, a budget fills no faster than by the fastest clock. Raw SQL: the statement
 * computes the new values from the old values.
 */
export const createPostgresBudgetStore = (db: Database): BudgetStore => ({
  async take({ organizationId, userId }, asks) {
    const values = asks.flatMap(({ kind, limit, need, returned }) => [kind, limit, need, returned]);
    return db.query<BudgetGrant>({
      name: `budget-${asks.length}`,
      text: take(asks),
      values: [organizationId, userId, getMonotonicDate(), ...values],
    });
  },
});

/** Rows are inserted in the order of their kinds, so that two servers cannot deadlock. */
function take(asks: readonly BudgetGrantRequest[]): string {
  const rows = asks.map((_, at) => {
    const [kind, limit, need, returned] = [4, 5, 6, 7].map((place) => `$${place + at * 4}`);
    return `(${kind}::text, ${limit}::float8, ${need}::float8, ${returned}::float8)`;
  });
  return `insert into budget as b ("organizationId", "userId", kind, hourly, need, returned, granted, level, at)
    select $1::uuid, $2::uuid, v.kind, v.hourly, v.need, v.returned, least(v.need, v.hourly),
      v.hourly - least(v.need, v.hourly), $3::timestamptz from (values ${rows.join(", ")}) v (kind, hourly, need, returned) order by v.kind
    on conflict ("organizationId", "userId", kind) do update set
      hourly = excluded.hourly, need = excluded.need, returned = excluded.returned,
      granted = ${GRANTED}, level = ${FILLED} - ${GRANTED},
      at = case when ${IS_AHEAD} then excluded.at else greatest(b.at, excluded.at) end
    returning kind, granted, level`;
}

/**
 * True if the row's time is further ahead than servers' clocks may differ, so a clock was set back. The row then
 * continues at the new time; otherwise the budget would not refill until the clock has caught up. The condition
 * compares the difference of two times, because the difference is IMMUTABLE. Citus refuses the sum of a time and an
 * interval here, because the sum depends on the time zone.
 */
const IS_AHEAD = "b.at - excluded.at > interval '2 minutes'";

const FILLED = `least(excluded.hourly, b.level + excluded.returned
  + greatest(0, extract(epoch from excluded.at - b.at)::float8) * excluded.hourly / 3600)`;

const GRANTED = `(case when ${FILLED} >= excluded.need
  then greatest(excluded.need, floor(${FILLED} * ${LEASE_SHARE})) else 0 end)`;
