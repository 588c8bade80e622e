import { knex, toStatement } from "../../../db/builder.ts";
import type { Queryable } from "../../accounts/audit.ts";
import type { Config } from "../../config.ts";

/** The most deliveries that may wait. */
export interface PendingLimits {
  organization: number;
  target: number;
}

/** The limits on waiting deliveries that the settings name. */
export function pendingLimits({ WEBHOOK_MAX_PENDING: most }: Pick<Config, "WEBHOOK_MAX_PENDING">): PendingLimits {
  const organization = most || Number.MAX_SAFE_INTEGER;
  return { organization, target: Math.ceil(organization / 2) };
}

/** Changes that a new webhook, or one that is enabled again, may receive before a server has measured what waits. */
const FIRST_CHANGES = 100;

/** The last change that a webhook receives which is made or enabled now. */
export const firstAccepted = (organizationId: string) =>
  knex("sync")
    .where({ organizationId })
    .select(knex.raw(`"lastSyncId" + ${FIRST_CHANGES}`));

/** Tells whether so many deliveries of a target wait. No more of them are counted. */
export async function hasPending(
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
