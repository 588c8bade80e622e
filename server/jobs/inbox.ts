import { knex, toStatement } from "../../db/builder.ts";
import { sumEach, sumSteps } from "../../db/errors/parts.ts";
import type { Database, Statement } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { NOTICE_DAYS } from "../resources/inbox/entries.ts";
import { eachOrganization } from "./organizations.ts";

/** A mark is kept longer than any entry is shown. */
const MARK_DAYS = 3 * NOTICE_DAYS;
/** Marks that are kept of a user, the latest: more than three times as many as an inbox has entries. */
const KEPT = 10_000;
/** Rows that one statement removes. */
const SLICE = 1_000;

const OLD = [
  { table: "inboxNotice", column: "createdAt", key: ["id"], days: NOTICE_DAYS },
  { table: "inboxState", column: "updatedAt", key: ["userId", "id"], days: MARK_DAYS },
];

/** Raw SQL, as TRIM: the users of an organization with more marks than are kept. */
const CROWDED = `select "userId" as id from "inboxState" where "organizationId" = $1 group by "userId" having count(*) > ${KEPT}`;

/** An array is read once. A subquery in its place is read again for each mark, where the planner knows nothing of the table. */
const TRIM = `delete from "inboxState" where "organizationId" = $1 and "userId" = $2 and id = any(array(select m.id from "inboxState" m
    where m."organizationId" = $1 and m."userId" = $2 order by m."updatedAt" desc, m.id offset ${KEPT} limit ${SLICE})) returning id`;

/**
 * Removes notices that no inbox shows any more, marks on entries that are long over, and the oldest marks of users who have
 * too many, in slices. Answers how many.
 */
export const removeOldEntries = (db: Database, now = Date.now()): Promise<number> =>
  sumSteps(...OLD.map((old) => () => removeOld(db, old, now)), () =>
    eachOrganization(db, { table: "inboxState", tenant: "organizationId" }, (id) => trim(db, id)),
  );

const removeOld = (db: Database, { table, column, key, days }: (typeof OLD)[number], now: number): Promise<number> =>
  eachOrganization(db, { table, tenant: "organizationId" }, async (organizationId) => {
    const old = knex(table)
      .where({ organizationId })
      .where(column, "<", new Date(now - days * DAY_MS))
      .limit(SLICE);
    const drop = knex(table).where({ organizationId }).whereIn(key, old.select(key)).delete("id");
    return repeat(db, toStatement(drop));
  });

async function trim(db: Database, organizationId: string): Promise<number> {
  const crowded: { id: string }[] = await db.query({ text: CROWDED, values: [organizationId] });
  return sumEach(
    crowded,
    ({ id }) => ({ userId: id }),
    ({ id }) => repeat(db, { text: TRIM, values: [organizationId, id] }),
  );
}

/** Sends a statement until it removes less than a slice. Answers how many rows it removed. */
async function repeat(db: Database, statement: Statement): Promise<number> {
  for (let removed = 0; ; ) {
    const { length } = await db.query(statement);
    removed += length;
    if (length < SLICE) return removed;
  }
}
