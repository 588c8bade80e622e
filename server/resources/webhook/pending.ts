import { knex, toStatement } from "../../../db/builder.ts";
import type { Queryable } from "../../accounts/audit.ts";
import type { Config } from "../../config.ts";

/** Maximum numbers of waiting deliveries. */
export interface PendingDeliveryLimits {
  organization: number;
  target: number;
}

/** Returns the limits of waiting deliveries from the settings. */
export function computePendingDeliveryLimits({
  WEBHOOK_MAX_PENDING: most,
}: Pick<Config, "WEBHOOK_MAX_PENDING">): PendingDeliveryLimits {
  const organization = most || Number.MAX_SAFE_INTEGER;
  return { organization, target: Math.ceil(organization / 2) };
}

/** Number of changes that a new or re-enabled webhook accepts before a server has measured the waiting deliveries. */
const FIRST_CHANGES = 100;

/**
 * Reads the last change that a new or re-enabled webhook accepts. A separate statement is needed, because Citus allows
 * no subquery in an INSERT.
 */
export async function readLastAcceptedChangeNumber({
  db,
  organizationId,
}: {
  db: Queryable;
  organizationId: string;
}): Promise<number> {
  const last = toStatement(knex("sync").where({ organizationId }).select("lastSyncId"));
  const [sync] = await db.query<{ lastSyncId: number }>({ ...last, writes: [] });
  return Number(sync?.lastSyncId) + FIRST_CHANGES;
}

/** Returns true if at least `most` deliveries of a target wait. Does not count further deliveries. */
export async function hasPendingDeliveries(
  db: Queryable,
  { organizationId, targetId }: { organizationId: string; targetId: string },
  most: number,
): Promise<boolean> {
  const waiting = knex("delivery").where({ organizationId, targetId, status: "pending" });
  const last = waiting
    .orderBy("nextAttemptAt")
    .offset(most - 1)
    .limit(1)
    .select("id");
  return (await db.query(toStatement(last))).length > 0;
}
