import type { Database } from "../../db/open.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Keys that one statement forgets. */
const SLICE = 1_000;

/** Forgets idempotency keys after one day, in slices. Safe on any number of processes. */
export async function forgetKeys(db: Database, now: number): Promise<void> {
  for (let slice = SLICE; slice === SLICE; ) {
    const rows = await db.query({
      text: `delete from idempotency where ("organizationId", "userId", key, field) in (
          select "organizationId", "userId", key, field from idempotency where "createdAt" < $1 limit ${SLICE}
          for update skip locked) returning 1`,
      values: [new Date(now - DAY_MS)],
    });
    slice = rows.length;
  }
}
