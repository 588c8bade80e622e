import type { Database } from "../../../db/open.ts";
import { type Ask, type BudgetStore, type Grant, LEASE_SHARE } from "./store.ts";

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
