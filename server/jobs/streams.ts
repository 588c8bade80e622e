import { knex, toStatement } from "../../db/builder.ts";
import { Attempts, sumEach } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { unlessGone } from "../accounts/due.ts";
import { NO_ID } from "../id.ts";
import { eachOrganization, partOf } from "./organizations.ts";

/** The life of entries in the delivery log: 30 days. */
const DELIVERIES_MS = 30 * DAY_MS;
/** Rows that one statement removes, and organizations or webhooks that one finds. */
const SLICE = 1_000;

/** Organizations after $1 whose log begins before $2. Raw SQL: one read of the index for each, by a lateral join. */
const OLD_LOGS = `
  select s."organizationId" as id from sync s cross join lateral (
    select "createdAt" from change where "organizationId" = s."organizationId" order by "lastSyncId" limit 1) first
   where s."organizationId" > $1 and first."createdAt" < $2 order by s."organizationId" limit ${SLICE}`;

/**
 * Moves the beginning of a log past the oldest of what was written before $2; numbers below it answer SYNC_GAP from now
 * on. Raw SQL: an update from an aggregate.
 */
const MOVE_BEGINNING = `
  update sync set "oldestSyncId" = head.beginning
    from (select coalesce(min("lastSyncId") filter (where "createdAt" >= $2), max("lastSyncId") + 1) as beginning
            from (select "lastSyncId", "createdAt" from change where "organizationId" = $1
                   order by "lastSyncId" limit ${SLICE}) c) head
   where "organizationId" = $1 and head.beginning > "oldestSyncId"`;

const dropBeforeBeginning = (organizationId: string) =>
  knex("change")
    .where({ organizationId })
    .where("lastSyncId", "<", knex("sync").where({ organizationId }).select("oldestSyncId"))
    .delete("lastSyncId");

/** Removes changes older than `days`, a whole beginning of each log, in slices. Safe on any number of processes. */
export async function removeOldChanges(db: Database, days: number, now = Date.now()): Promise<number> {
  const before = new Date(now - days * DAY_MS);
  const attempts = new Attempts();
  let removed = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const found: { id: string }[] = await db.query({ text: OLD_LOGS, values: [after, before] });
    for (const { id } of found)
      removed += await attempts.run(partOf(id), () => unlessGone(db, id, () => removeChangesOf(db, id, before)));
    after = found.length < SLICE ? undefined : found.at(-1)?.id;
  }
  attempts.end();
  return removed;
}

async function removeChangesOf(db: Database, organizationId: string, before: Date): Promise<number> {
  let removed = 0;
  for (let slice = SLICE; slice >= SLICE; removed += slice) {
    await db.query({ text: MOVE_BEGINNING, values: [organizationId, before] });
    slice = (await db.query(toStatement(dropBeforeBeginning(organizationId)))).length;
  }
  return removed;
}

/** Targets of $1, deleted ones too, whose delivery log begins before $2: a leap over the index for each. Raw SQL: recursive. */
const OLD_DELIVERIES = `
  with recursive first as (
    (select "targetId", "createdAt" from delivery where "organizationId" = $1
      order by "targetId", "createdAt", id limit 1)
    union all
    select n.* from first cross join lateral (
      select d."targetId", d."createdAt" from delivery d
       where d."organizationId" = $1 and d."targetId" > first."targetId"
       order by d."targetId", d."createdAt", d.id limit 1) n
  )
  select "targetId" as id from first where "createdAt" < $2`;

const dropDeliveries = (organizationId: string, targetId: string, before: Date) => {
  const old = knex("delivery").where({ organizationId, targetId }).where("createdAt", "<", before);
  const slice = old.orderBy(["createdAt", "id"]).limit(SLICE).forUpdate().skipLocked().select("id");
  return knex("delivery").where({ organizationId }).whereIn("id", slice).delete("id");
};

/** Removes deliveries older than 30 days, in slices. Safe on any number of processes. */
export async function removeOldDeliveries(db: Database, now = Date.now()): Promise<number> {
  const before = new Date(now - DELIVERIES_MS);
  return eachOrganization(db, { table: "delivery", tenant: "organizationId" }, (id) =>
    removeDeliveriesOf(db, id, before),
  );
}

async function removeDeliveriesOf(db: Database, organizationId: string, before: Date): Promise<number> {
  const logs = await db.query<{ id: string }>({ text: OLD_DELIVERIES, values: [organizationId, before] });
  return sumEach(
    logs,
    ({ id }) => ({ targetId: id }),
    async ({ id }) => {
      let removed = 0;
      for (let slice = SLICE; slice === SLICE; removed += slice)
        slice = (await db.query(toStatement(dropDeliveries(organizationId, id, before)))).length;
      return removed;
    },
  );
}

/** Days for which notices stay that are over, and those that began so long ago. */
const NOTICE_DAYS = { over: 2, fired: 30 };

/** Forgets old notices, in slices. Safe on any number of processes. */
export const removeOldNotices = (db: Database, now = Date.now()): Promise<number> =>
  eachOrganization(db, { table: "notice", tenant: "organizationId" }, async (organizationId) => {
    const before = (days: number) => new Date(now - days * DAY_MS);
    const own = knex("notice")
      .where({ organizationId })
      .limit(SLICE)
      .forUpdate()
      .skipLocked()
      .select("ruleId", "group");
    const over = own.clone().whereNotNull("resolvedAt").where("updatedAt", "<", before(NOTICE_DAYS.over));
    let removed = 0;
    for (const old of [over, own.clone().where("firedAt", "<", before(NOTICE_DAYS.fired))]) {
      for (let slice = SLICE; slice === SLICE; removed += slice) {
        const rows = knex("notice").where({ organizationId }).whereIn(["ruleId", "group"], old.clone());
        slice = (await db.query(toStatement(rows.delete("ruleId")))).length;
      }
    }
    return removed;
  });
