import type { Database } from "../../db/open.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Rows that one statement removes: short enough to hold nobody up. */
const SLICE = 1_000;

/** What is removed, and how long after it ceased to count. The condition sees the moment as $1. */
const SPENT: { table: string; key: string; condition: string; keptMs: number }[] = [
  { table: "throttle", key: "key", condition: "until < $1", keptMs: 0 },
  // A token past its 30 days is refused like one that never was.
  { table: "refreshToken", key: "hash", condition: `"createdAt" < $1`, keptMs: 30 * DAY_MS },
  {
    table: "refreshToken",
    key: "hash",
    condition: `"loginId" in (select id from login where "revokedAt" < $1 or "expiresAt" < $1 limit ${SLICE})`,
    keptMs: DAY_MS,
  },
  {
    table: "login",
    key: "id",
    condition: `("revokedAt" < $1 or "expiresAt" < $1) and not exists (select from "refreshToken" t where t."loginId" = login.id)`,
    keptMs: DAY_MS,
  },
  { table: "invitation", key: "hash", condition: `"expiresAt" < $1`, keptMs: 30 * DAY_MS },
  { table: "audit", key: "id", condition: `"createdAt" < $1`, keptMs: 400 * DAY_MS },
];

/** Removes spent logins, tokens, throttles, invitations and old audit entries, in slices. Safe on any number of processes. */
export async function removeSpent(db: Database, now = Date.now()): Promise<number> {
  let removed = 0;
  for (const { table, key, condition, keptMs } of SPENT) {
    for (let slice = SLICE; slice === SLICE; removed += slice) {
      const rows = await db.query({
        text: `delete from "${table}" where ${key} in (
                 select ${key} from "${table}" where ${condition} limit ${SLICE} for update skip locked) returning 1`,
        values: [new Date(now - keptMs)],
      });
      slice = rows.length;
    }
  }
  return removed;
}
