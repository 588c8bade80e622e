import type { Database } from "../../../db/open.ts";
import { HOUR_MS } from "../../../formats/time.ts";
import { createCache } from "../../cache.ts";

/** The two budgets every principal has. */
export type Kind = "requests" | "points";

/** Whose budgets: a user in an organization, or an account that has none. */
export interface Holder {
  organizationId: string;
  userId: string;
}

/** A request for a grant from one budget. */
export interface Ask {
  kind: Kind;
  /** The budget of an hour; it is refilled continuously. */
  limit: number;
  /** The least that is of use. */
  need: number;
  /** The unused rest of an earlier grant, handed back. */
  returned: number;
}

/** A grant: nothing when less than needed is left; else the need or, while plenty is left, more. */
export interface Grant {
  kind: Kind;
  granted: number;
  /** The rest beside it. */
  level: number;
}

/** The store of budgets. It never grants more than there is, however many processes ask. */
export interface BudgetStore {
  take(holder: Holder, asks: readonly Ask[]): Promise<readonly Grant[]>;
}

/** A grant may be this share of the rest: few requests while plenty is left, exact near the limit. */
const LEASE_SHARE = 1 / 50;

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

/**
 * Budgets in PostgreSQL, shared by every instance: one row a budget, refilled and taken from in one statement. Clocks
 * that differ never fill it faster than the fastest of them. Raw SQL: the new values are computed from the old.
 */
export const postgresBudgets = (db: Database): BudgetStore => ({
  async take({ organizationId, userId }, asks) {
    const values = asks.flatMap(({ kind, limit, need, returned }) => [kind, limit, need, returned]);
    return db.query<Grant>({
      name: `budget-${asks.length}`,
      text: take(asks),
      values: [organizationId, userId, new Date(), ...values],
    });
  },
});

/** Rows are inserted in the order of their kinds, so that two instances never wait for each other in a circle. */
function take(asks: readonly Ask[]): string {
  const rows = asks.map((_, at) => {
    const [kind, limit, need, returned] = [4, 5, 6, 7].map((place) => `$${place + at * 4}`);
    return `(${kind}::text, ${limit}::float8, ${need}::float8, ${returned}::float8)`;
  });
  return `insert into budget as b ("organizationId", "userId", kind, hourly, need, returned, granted, level, at)
    select $1::uuid, $2::uuid, v.kind, v.hourly, v.need, v.returned, least(v.need, v.hourly),
      v.hourly - least(v.need, v.hourly), $3::timestamptz from (values ${rows.join(", ")}) v (kind, hourly, need, returned) order by v.kind
    on conflict ("organizationId", "userId", kind) do update set
      hourly = excluded.hourly, need = excluded.need, returned = excluded.returned,
      granted = ${GRANTED}, level = ${FILLED} - ${GRANTED}, at = greatest(b.at, excluded.at)
    returning kind, granted, level`;
}

const FILLED = `least(excluded.hourly, b.level + excluded.returned
  + greatest(0, extract(epoch from excluded.at - b.at)::float8) * excluded.hourly / 3600)`;

const GRANTED = `(case when ${FILLED} >= excluded.need
  then greatest(excluded.need, floor(${FILLED} * ${LEASE_SHARE})) else 0 end)`;
