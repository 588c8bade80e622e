import { knex, toStatement } from "../../db/builder.ts";
import { runEachPart, runSteps } from "../../db/errors/parts.ts";
import type { Database, Statement } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { NOTICE_DAYS } from "../resources/inbox/entries.ts";
import { eachOrganization } from "./organizations.ts";

/** Days for which marks on inbox entries are kept. The time is longer than the inbox shows any entry. */
const MARK_DAYS = 3 * NOTICE_DAYS;
/**
 * Maximum marks per user. The latest marks are kept. The maximum is more than three times the number of entries in an
 * inbox.
 */
const KEPT = 10_000;
/** Maximum rows that one statement removes. */
const SLICE = 1_000;

const OLD = [
  { table: "inboxNotice", column: "createdAt", key: ["id"], days: NOTICE_DAYS },
  { table: "inboxState", column: "updatedAt", key: ["userId", "id"], days: MARK_DAYS },
];

/** Raw SQL, like TRIM. Selects the users of an organization who have more marks than allowed. */
const CROWDED = `select "userId" as id from "inboxState" where "organizationId" = $1 group by "userId" having count(*) > ${KEPT}`;

/**
 * PostgreSQL evaluates the array once. A subquery would be evaluated again for each mark if the planner has no
 * statistics of the table.
 */
const TRIM = `delete from "inboxState" where "organizationId" = $1 and "userId" = $2 and id = any(array(select m.id from "inboxState" m
    where m."organizationId" = $1 and m."userId" = $2 order by m."updatedAt" desc, m.id offset ${KEPT} limit ${SLICE})) returning id`;

/**
 * Removes notices that no inbox shows any more, marks on entries that ended long ago, and the oldest marks of users
 * with too many, in slices. Returns the number of removed rows.
 */
export const removeOldInboxRows = (db: Database, now = Date.now()): Promise<number> =>
  runSteps(...OLD.map((old) => () => removeOld(db, old, now)), () =>
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
  return runEachPart(
    crowded,
    ({ id }) => ({ userId: id }),
    ({ id }) => repeat(db, { text: TRIM, values: [organizationId, id] }),
  );
}

/** Repeats a statement until fewer rows than a slice are removed. Returns the number of removed rows. */
async function repeat(db: Database, statement: Statement): Promise<number> {
  for (let removed = 0; ; ) {
    const { length } = await db.query(statement);
    removed += length;
    if (length < SLICE) return removed;
  }
}
