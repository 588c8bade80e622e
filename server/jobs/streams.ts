import type { Database } from "../../db/open.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** How long the delivery log is kept: 30 days. */
const DELIVERIES_MS = 30 * DAY_MS;
/** Rows that one statement removes, and organizations or webhooks that one finds. */
const SLICE = 1_000;

/** Organizations after $1 whose log begins before $2. */
const OLD_LOGS = `
  select s."organizationId" as id from sync s cross join lateral (
    select "createdAt" from change where "organizationId" = s."organizationId" order by "lastSyncId" limit 1) first
   where s."organizationId" > $1 and first."createdAt" < $2 order by s."organizationId" limit ${SLICE}`;

/** Moves the beginning of a log past the oldest of what was written before $2; numbers below it answer SYNC_GAP from now on. */
const MOVE_BEGINNING = `
  update sync set "oldestSyncId" = head.beginning
    from (select coalesce(min("lastSyncId") filter (where "createdAt" >= $2), max("lastSyncId") + 1) as beginning
            from (select "lastSyncId", "createdAt" from change where "organizationId" = $1
                   order by "lastSyncId" limit ${SLICE}) c) head
   where "organizationId" = $1 and head.beginning > "oldestSyncId"`;

const DROP_BEFORE_BEGINNING = `
  delete from change where "organizationId" = $1 and "lastSyncId" < (
    select "oldestSyncId" from sync where "organizationId" = $1) returning 1`;

/** Removes changes older than `days`, a whole beginning of each log, in slices. Safe on any number of processes. */
export async function removeOldChanges(db: Database, days: number, now = Date.now()): Promise<number> {
  const before = new Date(now - days * DAY_MS);
  let removed = 0;
  for (let after: string | undefined = "00000000-0000-0000-0000-000000000000"; after; ) {
    const found: { id: string }[] = await db.query({ text: OLD_LOGS, values: [after, before] });
    for (const { id } of found) {
      for (let slice = SLICE; slice >= SLICE; removed += slice) {
        await db.query({ text: MOVE_BEGINNING, values: [id, before] });
        slice = (await db.query({ text: DROP_BEFORE_BEGINNING, values: [id] })).length;
      }
    }
    after = found.length < SLICE ? undefined : found.at(-1)?.id;
  }
  return removed;
}

/** Webhooks, deleted ones too, whose delivery log begins before $1: a leap over the index for each. */
const OLD_DELIVERIES = `
  with recursive first as (
    (select "organizationId", "webhookId", "createdAt" from delivery
      order by "organizationId", "webhookId", "createdAt", id limit 1)
    union all
    select n.* from first cross join lateral (
      select d."organizationId", d."webhookId", d."createdAt" from delivery d
       where (d."organizationId", d."webhookId") > (first."organizationId", first."webhookId")
       order by d."organizationId", d."webhookId", d."createdAt", d.id limit 1) n
  )
  select "organizationId", "webhookId" from first where "createdAt" < $1`;

const DROP_DELIVERIES = `
  delete from delivery where "organizationId" = $1 and id in (
    select id from delivery where "organizationId" = $1 and "webhookId" = $2 and "createdAt" < $3
     order by "createdAt", id limit ${SLICE} for update skip locked) returning 1`;

/** Removes deliveries older than 30 days, in slices. Safe on any number of processes. */
export async function removeOldDeliveries(db: Database, now = Date.now()): Promise<number> {
  const before = new Date(now - DELIVERIES_MS);
  let removed = 0;
  const logs = await db.query<{ organizationId: string; webhookId: string }>({
    text: OLD_DELIVERIES,
    values: [before],
  });
  for (const { organizationId, webhookId } of logs) {
    for (let slice = SLICE; slice === SLICE; removed += slice) {
      const values = [organizationId, webhookId, before];
      slice = (await db.query({ text: DROP_DELIVERIES, values })).length;
    }
  }
  return removed;
}
