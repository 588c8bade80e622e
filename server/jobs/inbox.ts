import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { NOTICE_DAYS } from "../resources/inbox/entries.ts";
import { eachOrganization } from "./organizations.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A mark is kept longer than any entry is shown. */
const MARK_DAYS = 3 * NOTICE_DAYS;
/** Rows that one statement removes. */
const SLICE = 1_000;

const OLD = [
  { table: "inboxNotice", column: "createdAt", key: ["id"], days: NOTICE_DAYS },
  { table: "inboxState", column: "updatedAt", key: ["userId", "id"], days: MARK_DAYS },
];

/** Removes notices that no inbox shows any more, and marks on entries that are long over, in slices. Answers how many. */
export async function removeOldEntries(db: Database, now = Date.now()): Promise<number> {
  let removed = 0;
  for (const { table, column, key, days } of OLD)
    removed += await eachOrganization(db, { table, tenant: "organizationId" }, async (organizationId) => {
      const old = knex(table)
        .where({ organizationId })
        .where(column, "<", new Date(now - days * DAY_MS))
        .limit(SLICE);
      let gone = 0;
      for (let slice = SLICE; slice === SLICE; gone += slice) {
        const drop = knex(table).where({ organizationId }).whereIn(key, old.clone().select(key)).delete("id");
        slice = (await db.query(toStatement(drop))).length;
      }
      return gone;
    });
  return removed;
}
