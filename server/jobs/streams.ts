import { knex, toStatement } from "../../db/builder.ts";
import { PartRunner, runEachPart } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { DAY_MS } from "../../formats/time.ts";
import { runUnlessDeleted } from "../accounts/due.ts";
import { NO_ID } from "../id.ts";
import { eachOrganization, toOrganizationPart } from "./organizations.ts";

/** Retention of the delivery log: 30 days. */
const DELIVERIES_MS = 30 * DAY_MS;
/** Maximum rows that one statement removes, and maximum organizations or webhooks per query. */
const SLICE = 1_000;

/**
 * Selects the organizations with an id after $1 whose change log begins before the time $2. Raw SQL: a lateral join
 * reads the index once per organization.
 */
const OLD_LOGS = `
  select s."organizationId" as id from sync s cross join lateral (
    select "createdAt" from change where "organizationId" = s."organizationId" order by "lastSyncId" limit 1) first
   where s."organizationId" > $1 and first."createdAt" < $2 order by s."organizationId" limit ${SLICE}`;

/**
 * Moves the beginning of a log past the oldest changes written before $2. Requests with smaller numbers then get
 * SYNC_GAP. Raw SQL: an update from an aggregate.
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

/**
 * Removes changes older than `days`, always from the beginning of each log, in slices. Safe in any number of concurrent
 * processes.
 */
export async function removeOldChanges(db: Database, days: number, now = Date.now()): Promise<number> {
  const before = new Date(now - days * DAY_MS);
  const attempts = new PartRunner();
  let removed = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const found: { id: string }[] = await db.query({ text: OLD_LOGS, values: [after, before] });
    for (const { id } of found)
      removed += await attempts.run(toOrganizationPart(id), () =>
        runUnlessDeleted(db, id, () => removeChangesOf(db, id, before)),
      );
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

/**
 * Selects the targets of organization $1, including deleted targets, that have a delivery older than $2. Skips through
 * the index with one read per target. Raw SQL: the query is recursive.
 */
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

/** Removes deliveries older than 30 days, in slices. Safe in any number of concurrent processes. */
export async function removeOldDeliveries(db: Database, now = Date.now()): Promise<number> {
  const before = new Date(now - DELIVERIES_MS);
  return eachOrganization(db, { table: "delivery", tenant: "organizationId" }, (id) =>
    removeDeliveriesOf(db, id, before),
  );
}

async function removeDeliveriesOf(db: Database, organizationId: string, before: Date): Promise<number> {
  const logs = await db.query<{ id: string }>({ text: OLD_DELIVERIES, values: [organizationId, before] });
  return runEachPart(
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

/** Days for which a notice stays: `over` after the notice was resolved, `fired` after the notice fired. */
const NOTICE_DAYS = { over: 2, fired: 30 };

/** Removes old notices, in slices. Safe in any number of concurrent processes. */
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
