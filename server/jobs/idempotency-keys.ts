import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { eachOrganization } from "./organizations.ts";

/** Keys that one statement forgets. */
const SLICE = 1_000;
const KEY = ["userId", "key", "field"];

/** Forgets idempotency keys after one day, in slices. Safe on any number of processes. */
export const forgetKeys = (db: Database, now: number): Promise<number> =>
  eachOrganization(db, { table: "idempotency", tenant: "organizationId" }, (id) => forgetKeysOf(db, id, now));

async function forgetKeysOf(db: Database, organizationId: string, now: number): Promise<number> {
  let forgotten = 0;
  for (let slice = SLICE; slice === SLICE; forgotten += slice) {
    const keys = knex("idempotency").where({ organizationId });
    const old = keys
      .clone()
      .where("createdAt", "<", new Date(now - DAY_MS))
      .select(KEY)
      .limit(SLICE);
    const rows = await db.query(toStatement(keys.whereIn(KEY, old.forUpdate().skipLocked()).delete("key")));
    slice = rows.length;
  }
  return forgotten;
}
