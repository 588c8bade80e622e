import { randomUUID } from "node:crypto";
import { checkSql } from "../../../db/checks.ts";
import type { Statement } from "../../../db/open.ts";
import type { Build } from "../../read/entity.ts";
import { organization, tableOf } from "../../read/row.ts";

/**
 * Raw SQL: the statement that makes the webhook deliveries of a range of changes, which are written, but for some. Its rows
 * are the deliveries. A webhook that has no room for a change gets none: the server gives it room, or disables it.
 */
export const deliveriesStatement = (
  organizationId: string,
  { first, last, but }: { first: number; last: number; but: readonly number[] },
): Statement => ({
  name: "deliveries",
  text: DELIVERIES,
  values: [organizationId, first, last, randomUUID(), but],
});

/** The resource type under which webhooks receive entries of the audit. */
export const AUDIT_ENTRY = "AuditEntry";

/** Changes that a webhook had no room for when they were made. */
export interface LateChanges {
  webhookId: string;
  /** The first number is not included, the last one is. */
  after: number;
  until: number;
  /** The types of entities whose changes are delivered. */
  types: readonly string[];
}

/** Raw SQL: the statement that makes the deliveries of late changes, the oldest first, and answers with their numbers. */
export const lateDeliveries = (organizationId: string, late: LateChanges, most: number): Statement => ({
  name: "late-deliveries",
  text: LATE,
  values: [organizationId, late.after, late.until, randomUUID(), late.webhookId, late.types, most],
});

/** Raw SQL: the statement that finds the number of the first of late changes. */
export const firstLate = (organizationId: string, late: LateChanges): Statement => ({
  name: "first-late",
  text: FIRST_LATE,
  values: [organizationId, late.after, late.until, late.webhookId, late.types],
});

/** Raw SQL: the statement that makes the webhook deliveries of entries of the audit. Its rows name their webhooks. */
export const auditDeliveries = (organizationId: string, ids: readonly string[]): Statement => ({
  name: "audit-deliveries",
  text: AUDIT_DELIVERIES,
  values: [organizationId, ids, new Date(), randomUUID()],
});

/** An id that nobody can guess, like gen_random_uuid(), of a seed: an insert that asks for random values runs on no node alone. */
const seededId = (content: string) => `overlay(overlay(
    encode(substr(sha256(($4::text || w.id || ${content})::bytea), 1, 16), 'hex') placing '4' from 13) placing '8' from 17)::uuid`;

// OFFSET 0 is for Citus, which plans an insert without it once for each shard; no test on one node fails without it.
// The alias is for Citus too: it cannot return a column of an insert into a table without one.
const INSERT = `insert into delivery as n (id, "organizationId", "targetId", "lastSyncId", "nextAttemptAt", "createdAt")
  select ${seededId('c."lastSyncId"')}, c."organizationId", w.id, c."lastSyncId", c."createdAt", c."createdAt"`;

/** Changes with the webhooks that receive them. */
const RECEIVED = `from change c join webhook w on w."organizationId" = c."organizationId" and w.enabled
      and (w."teamId" is null or w."teamId" = c."teamId")
      and (w."resourceTypes" is null or c.type = any(w."resourceTypes"))
   where c."organizationId" = $1 and w."organizationId" = $1`;

const DELIVERIES = `${INSERT} ${RECEIVED} and c."lastSyncId" between $2 and $3
     and c."lastSyncId" <> all($5::bigint[]) and (w."acceptsUntil" is null or c."lastSyncId" <= w."acceptsUntil") offset 0
  returning n."targetId"`;

/** A release without this limit, which may run beside this one, delivers what it writes. */
const NOT_DELIVERED = `not exists (select from delivery d where d."organizationId" = $1 and d."targetId" = w.id
       and d."createdAt" = c."createdAt" and d."lastSyncId" = c."lastSyncId")`;

const LATE = `${INSERT} ${RECEIVED} and c."lastSyncId" > $2 and c."lastSyncId" <= $3 and w.id = $5 and c.type = any($6::text[])
     and ${NOT_DELIVERED}
   order by c."lastSyncId" limit $7 returning n."lastSyncId"`;

const FIRST_LATE = `select min(c."lastSyncId") as first ${RECEIVED}
     and c."lastSyncId" > $2 and c."lastSyncId" <= $3 and w.id = $4 and c.type = any($5::text[])
     and ${NOT_DELIVERED}`;

const AUDIT_DELIVERIES = `insert into delivery as n (id, "organizationId", "targetId", "auditId", "nextAttemptAt", "createdAt")
  select ${seededId("e.id")}, w."organizationId", w.id, e.id, $3, $3
    from webhook w cross join unnest($2::uuid[]) e (id)
   where w."organizationId" = $1 and w.enabled and '${AUDIT_ENTRY}' = any(w."resourceTypes") offset 0
  returning n."targetId"`;

/** Entries of the audit that may wait for one webhook. */
const MOST_ENTRIES = 10_000;

/** Raw SQL: disables webhooks for which too many entries of the audit wait, and names them. The last entry was delivered to all. */
export const disableFullAudit = (organizationId: string, targets: readonly string[], lastId: string): Statement => ({
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

/** SQL that fails the statement if a webhook is enabled: asked behind the lock, so that none registered before is missed. */
export const noHook = (build: Build): string =>
  checkSql(
    "cacheIsCurrent",
    `not exists (select 1 from ${tableOf(build, "webhook")} w where w."organizationId" = ${organization(build)} and w.enabled)`,
  );
