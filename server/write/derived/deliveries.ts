import { randomUUID } from "node:crypto";
import { checkSql } from "../../../db/checks.ts";
import type { Statement } from "../../../db/open.ts";
import type { Build } from "../../read/entity.ts";
import { organization, tableOf } from "../../read/row.ts";

/** Raw SQL: the statement that makes the webhook deliveries of a range of changes, which are written, but for some. */
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

/** Raw SQL: the statement that makes the webhook deliveries of entries of the audit. */
export const auditDeliveries = (organizationId: string, ids: readonly string[]): Statement => ({
  name: "audit-deliveries",
  text: AUDIT_DELIVERIES,
  values: [organizationId, ids, new Date(), randomUUID()],
});

/** An id that nobody can guess, like gen_random_uuid(), of a seed: an insert that asks for random values runs on no node alone. */
const seededId = (content: string) => `overlay(overlay(
    encode(substr(sha256(($4::text || w.id || ${content})::bytea), 1, 16), 'hex') placing '4' from 13) placing '8' from 17)::uuid`;

// OFFSET 0 is for Citus, which plans an insert without it once for each shard; no test on one node fails without it.
const DELIVERIES = `insert into delivery (id, "organizationId", "targetId", "lastSyncId", "nextAttemptAt", "createdAt")
  select ${seededId('c."lastSyncId"')}, c."organizationId", w.id, c."lastSyncId", c."createdAt", c."createdAt"
    from change c join webhook w on w."organizationId" = c."organizationId" and w.enabled
      and (w."teamId" is null or w."teamId" = c."teamId")
      and (w."resourceTypes" is null or c.type = any(w."resourceTypes"))
   where c."organizationId" = $1 and w."organizationId" = $1 and c."lastSyncId" between $2 and $3
     and c."lastSyncId" <> all($5::bigint[]) offset 0`;

const AUDIT_DELIVERIES = `insert into delivery (id, "organizationId", "targetId", "auditId", "nextAttemptAt", "createdAt")
  select ${seededId("e.id")}, w."organizationId", w.id, e.id, $3, $3
    from webhook w cross join unnest($2::uuid[]) e (id)
   where w."organizationId" = $1 and w.enabled and '${AUDIT_ENTRY}' = any(w."resourceTypes") offset 0`;

/** SQL that fails the statement if a webhook is enabled: asked behind the lock, so that none registered before is missed. */
export const noHook = (build: Build): string =>
  checkSql(
    "cacheIsCurrent",
    `not exists (select 1 from ${tableOf(build, "webhook")} w where w."organizationId" = ${organization(build)} and w.enabled)`,
  );
