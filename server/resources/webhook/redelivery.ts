import { knex, toStatement } from "../../../db/builder.ts";
import { conflict, notFound } from "../../errors.ts";
import { enabledWebhook } from "./delivery.ts";
import type { WebhookScope } from "./scope.ts";

/** The most deliveries that one call can send again. */
const MAX_REDELIVERED = 10_000;

/**
 * Sends one delivery again, at once, under the same id.
 * @throws notFound; conflict for a webhook that is disabled.
 */
export async function redeliver(scope: WebhookScope, webhookId: string, deliveryId: string): Promise<number> {
  await refuseDisabled(scope, webhookId);
  const { organizationId } = scope;
  const again = await scope.db.query(
    toStatement(knex("delivery").where({ organizationId, webhookId, id: deliveryId }).update(dueNow(), "id")),
  );
  if (again.length === 0) throw notFound("delivery", deliveryId);
  return again.length;
}

/**
 * Sends again what was delivered, or not, in a range of time: `from` included, `to` not; the oldest 10,000 of it.
 * @returns how many. @throws notFound; conflict for a webhook that is disabled.
 */
export async function redeliverRange(
  scope: WebhookScope,
  webhookId: string,
  range: { from: string; to: string },
): Promise<number> {
  await refuseDisabled(scope, webhookId);
  const { organizationId } = scope;
  const oldest = knex("delivery")
    .where({ organizationId, webhookId })
    .where("createdAt", ">=", range.from)
    .where("createdAt", "<", range.to)
    .whereNot({ status: "pending" })
    .orderBy(["createdAt", "id"])
    .limit(MAX_REDELIVERED)
    .select("id");
  const again = await scope.db.query(
    toStatement(knex("delivery").where({ organizationId }).whereIn("id", oldest).update(dueNow(), "id")),
  );
  return again.length;
}

const dueNow = () => ({ status: "pending", tries: 0, nextAttemptAt: new Date(), leasedUntil: null });

async function refuseDisabled(scope: WebhookScope, id: string): Promise<void> {
  if (await enabledWebhook(scope, id)) return;
  throw conflict("The webhook is disabled; enable it first (PATCH enabled: true).", "webhook_disabled");
}
