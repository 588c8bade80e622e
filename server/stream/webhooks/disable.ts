import { knex, toStatement } from "../../../db/builder.ts";
import type { Runtime } from "../../runtime.ts";
import { GONE } from "./attempt.ts";
import type { Claimed } from "./claim.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The longest that a receiver may fail without a success between. */
const MAX_FAILING_MS = 5 * DAY_MS;

/** Why a webhook is to be disabled after a failed attempt; null when it is not. */
export function reasonToDisable({ webhook }: Claimed, status: number | null, now = Date.now()): string | null {
  if (!webhook) return null;
  if (status === GONE) return "the receiver answered 410 Gone";
  const { failingSince } = webhook;
  return failingSince && now - failingSince.getTime() >= MAX_FAILING_MS ? "it failed for 5 days" : null;
}

/**
 * Disables a webhook, unless its target was changed or it recovered meanwhile. The change log carries the notice, so
 * every client of realtime receives it, or catches up later; it is not delivered to webhooks.
 */
export async function disableWebhook(
  { db, log, publicUrl }: Runtime,
  delivery: Claimed,
  reason: string,
): Promise<void> {
  const { organizationId, webhookId, webhook } = delivery;
  if (!webhook) return;
  const at = new Date();
  const disabled = await db.transaction(async (trx) => {
    await trx.query(toStatement(knex("sync").where({ organizationId }).forUpdate().select("organizationId")));
    const same = knex("webhook").where({ organizationId, id: webhookId, enabled: true, url: webhook.url });
    if (webhook.failingSince) same.whereNotNull("failingSince");
    const rows = await trx.query(toStatement(same.update({ enabled: false, updatedAt: at }, "id")));
    if (rows.length === 0) return false;
    const [next] = await trx.query<{ number: number }>({ text: NEXT, values: [organizationId] });
    await trx.query({ text: NOTICE, values: [organizationId, webhookId, reason, publicUrl, at, next?.number] });
    return true;
  });
  if (!disabled) return;
  log.warn({ organizationId, webhookId, reason }, "webhook disabled");
  db.wake.publish(organizationId);
}

/** Raw SQL: counts on from what the row holds. */
const NEXT = `update sync set "lastSyncId" = "lastSyncId" + 1 where "organizationId" = $1 returning "lastSyncId" as number`;

/**
 * One entry of the change log, numbered under the lock that every change takes. Raw SQL: an insert from what is there.
 */
const NOTICE = `
  insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", data, "updatedFrom", actor, "createdAt")
  select $1, $6, 'Webhook', 'update', 'webhook.disabled', w.id,
         json_build_object('id', w.id, 'label', w.label, 'teamId', w."teamId", 'enabled', false, 'reason', $3::text,
                           'url', $4::text || '/' || o."urlKey" || '/settings/webhooks/' || w.id),
         '{"enabled":true}', '{"type":"system"}', $5
    from webhook w join organization o on o.id = $1
   where w."organizationId" = $1 and w.id = $2`;
