import { randomUUID } from "node:crypto";
import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import { buildCheckSql } from "../../../db/checks.ts";
import type { Statement } from "../../../db/open.ts";
import type { StatementBuild } from "../../read/entity.ts";
import { bindOrganization, readTableSql } from "../../read/row.ts";

/**
 * Raw SQL: creates the webhook deliveries for a range of logged changes, except the numbers in `but`. Returns one row
 * per delivery. A webhook receives no change after its `acceptsUntil`, until the server raises that number or
 * disables the webhook.
 */
export const buildDeliveryInsert = (
  organizationId: string,
  { first, last, but }: { first: number; last: number; but: readonly number[] },
): Statement => ({
  name: "deliveries",
  text: DELIVERIES,
  values: [organizationId, first, last, randomUUID(), but, getMonotonicDate()],
});

/** Resource type of webhooks that receive audit entries. */
export const AUDIT_ENTRY_TYPE = "AuditEntry";

/** Changes that a webhook did not accept at the time of logging, because the webhook's queue was full. */
export interface MissedWebhookChanges {
  webhookId: string;
  /** Range of change numbers: `after` is exclusive, `until` is inclusive. */
  after: number;
  until: number;
  /** Names of the entities whose changes are delivered. */
  types: readonly string[];
}

/** Raw SQL: creates the deliveries of late changes, oldest first, and returns the change numbers. */
export const buildMissedDeliveryInsert = (
  organizationId: string,
  late: MissedWebhookChanges,
  most: number,
): Statement => ({
  name: "late-deliveries",
  text: LATE,
  values: [organizationId, late.after, late.until, randomUUID(), late.webhookId, late.types, most, getMonotonicDate()],
});

/** Raw SQL: finds the number of the first late change. */
export const buildFirstMissedChangeQuery = (organizationId: string, late: MissedWebhookChanges): Statement => ({
  name: "first-late",
  text: FIRST_LATE,
  values: [organizationId, late.after, late.until, late.webhookId, late.types],
});

/** Raw SQL: creates the webhook deliveries of audit entries. Each returned row contains the id of the webhook. */
export const buildAuditDeliveryInsert = (organizationId: string, ids: readonly string[]): Statement => ({
  name: "audit-deliveries",
  text: AUDIT_DELIVERIES,
  values: [organizationId, ids, new Date(), randomUUID(), getMonotonicDate()],
});

/**
 * SQL for an unguessable id, computed from a random seed ($4). `gen_random_uuid()` is not used, because Citus cannot
 * send an insert with volatile functions to a single node.
 */
const seededId = (content: string) => `overlay(overlay(
    encode(substr(sha256(($4::text || w.id || ${content})::bytea), 1, 16), 'hex') placing '4' from 13) placing '8' from 17)::uuid`;

/**
 * SQL for the time of the first attempt: the earlier of `createdAt` and the held time. The job that claims deliveries
 * compares this time with the held time, which does not follow a wrong step forward of the wall clock. A delivery dated
 * only by `createdAt`, a time of the wall clock, would wait for the duration of such a step.
 */
const firstAttempt = (createdAt: string, held: string) => `least(${createdAt}, ${held}::timestamptz)`;

// OFFSET 0 is for Citus, which otherwise plans this insert once per shard. No test on a single node fails without
// OFFSET 0. The alias is also for Citus, which cannot return columns of an insert into a table without an alias.
const insertDelivery = (
  held: string,
) => `insert into delivery as n (id, "organizationId", "targetId", "lastSyncId", "nextAttemptAt", "createdAt")
  select ${seededId('c."lastSyncId"')}, c."organizationId", w.id, c."lastSyncId", ${firstAttempt('c."createdAt"', held)}, c."createdAt"`;

/** SQL fragment: joins changes with the webhooks that receive each change. */
const RECEIVED = `from change c join webhook w on w."organizationId" = c."organizationId" and w.enabled
      and (w."teamId" is null or w."teamId" = c."teamId")
      and (w."resourceTypes" is null or c.type = any(w."resourceTypes"))
   where c."organizationId" = $1 and w."organizationId" = $1`;

const DELIVERIES = `${insertDelivery("$6")} ${RECEIVED} and c."lastSyncId" between $2 and $3
     and c."lastSyncId" <> all($5::bigint[]) and (w."acceptsUntil" is null or c."lastSyncId" <= w."acceptsUntil") offset 0
  returning n."targetId"`;

/**
 * Skips changes that already have a delivery. A release without the limit `acceptsUntil` may run at the same time, and
 * may already have created deliveries for these changes.
 */
const NOT_DELIVERED = `not exists (select from delivery d where d."organizationId" = $1 and d."targetId" = w.id
       and d."createdAt" = c."createdAt" and d."lastSyncId" = c."lastSyncId")`;

const LATE = `${insertDelivery("$8")} ${RECEIVED} and c."lastSyncId" > $2 and c."lastSyncId" <= $3 and w.id = $5 and c.type = any($6::text[])
     and ${NOT_DELIVERED}
   order by c."lastSyncId" limit $7 returning n."lastSyncId"`;

const FIRST_LATE = `select min(c."lastSyncId") as first ${RECEIVED}
     and c."lastSyncId" > $2 and c."lastSyncId" <= $3 and w.id = $4 and c.type = any($5::text[])
     and ${NOT_DELIVERED}`;

const AUDIT_DELIVERIES = `insert into delivery as n (id, "organizationId", "targetId", "auditId", "nextAttemptAt", "createdAt")
  select ${seededId("e.id")}, w."organizationId", w.id, e.id, ${firstAttempt("$3::timestamptz", "$5")}, $3
    from webhook w cross join unnest($2::uuid[]) e (id)
   where w."organizationId" = $1 and w.enabled and '${AUDIT_ENTRY_TYPE}' = any(w."resourceTypes") offset 0
  returning n."targetId"`;

/** Maximum number of audit entries that may wait for one webhook. */
const MOST_ENTRIES = 10_000;

/**
 * Raw SQL: disables webhooks that have too many pending audit entries, and returns their ids. `lastId` is the last
 * audit entry for which deliveries were created; the webhook's error names this entry.
 */
export const buildFullAuditWebhookDisable = (
  organizationId: string,
  targets: readonly string[],
  lastId: string,
): Statement => ({
  name: "disable-full-audit",
  text: `update webhook w set enabled = false, "updatedAt" = $3, error = $4
     where w."organizationId" = $1 and w.id = any($2::uuid[]) and exists (select from delivery d
       where d."organizationId" = $1 and d."targetId" = w.id and d.status = 'pending' offset ${MOST_ENTRIES - 1})
    returning w.id`,
  values: [
    ...[organizationId, targets, new Date()],
    `${MOST_ENTRIES} deliveries waited; the entries of the audit after ${lastId} were not sent: GET /api/audit has them`,
  ],
});

/**
 * SQL that makes the statement fail if a webhook is enabled. The transaction holds the organization's lock, so the
 * check sees every webhook that was registered before.
 */
export const noEnabledWebhookCheckSql = (build: StatementBuild): string =>
  buildCheckSql(
    "cacheIsCurrent",
    `not exists (select 1 from ${readTableSql(build, "webhook")} w where w."organizationId" = ${bindOrganization(build)} and w.enabled)`,
  );
