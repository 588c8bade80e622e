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

/** An id that nobody can guess, like gen_random_uuid(), of a seed: an insert that asks for random values runs on no node alone. */
const SEEDED_ID = `overlay(overlay(
    encode(substr(sha256(($4::text || w.id || c."lastSyncId")::bytea), 1, 16), 'hex') placing '4' from 13) placing '8' from 17)::uuid`;

// OFFSET 0 is for Citus, which plans an insert without it once for each shard; no test on one node fails without it.
const DELIVERIES = `insert into delivery (id, "organizationId", "webhookId", "lastSyncId", "nextAttemptAt", "createdAt")
  select ${SEEDED_ID}, c."organizationId", w.id, c."lastSyncId", c."createdAt", c."createdAt"
    from change c join webhook w on w."organizationId" = c."organizationId" and w.enabled
      and (w."teamId" is null or w."teamId" = c."teamId")
      and (w."resourceTypes" is null or c.type = any(w."resourceTypes"))
   where c."organizationId" = $1 and w."organizationId" = $1 and c."lastSyncId" between $2 and $3
     and c."lastSyncId" <> all($5::bigint[]) offset 0`;

/** SQL that fails the statement if a webhook is enabled: asked behind the lock, so that none registered before is missed. */
export const noHook = (build: Build): string =>
  checkSql(
    "cacheIsCurrent",
    `not exists (select 1 from ${tableOf(build, "webhook")} w where w."organizationId" = ${organization(build)} and w.enabled)`,
  );
