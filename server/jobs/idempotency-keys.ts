import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Keys that one statement forgets. */
const SLICE = 1_000;
const KEY = ["organizationId", "userId", "key", "field"];

/** Forgets idempotency keys after one day, in slices. Safe on any number of processes. */
export async function forgetKeys(db: Database, now: number): Promise<void> {
  for (let slice = SLICE; slice === SLICE; ) {
    const old = knex("idempotency")
      .where("createdAt", "<", new Date(now - DAY_MS))
      .select(KEY)
      .limit(SLICE);
    const removal = knex("idempotency").whereIn(KEY, old.forUpdate().skipLocked()).delete("key");
    const rows = await db.query(toStatement(removal));
    slice = rows.length;
  }
}
