import { knex, toStatement } from "../../../db/builder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { writeAuditEntry } from "../../accounts/audit.ts";
import { type Entity, nullable } from "../../read/entity.ts";
import { bindGiven, columnSql } from "../../read/row.ts";
import { organizationLink, pageUrl } from "../../resources/fields.ts";
import { entityModel } from "../../resources/index.ts";
import type { Runtime } from "../../runtime.ts";
import { createSystemScope } from "../../scope.ts";
import { runMutationTransaction } from "../../write/mutate.ts";
import { enqueueUpdate, type WriteContext } from "../../write/write.ts";
import { GONE_STATUS } from "./attempt.ts";
import type { ClaimedDelivery } from "./claim.ts";

/** The server disables a target that has failed for this time, in ms, without a success. */
const MAX_FAILING_MS = 5 * DAY_MS;

/** The reason for disabling a target after a failed attempt; null when the target stays enabled. */
export function findDisableReason({ target }: ClaimedDelivery, status: number | null, now = Date.now()): string | null {
  if (!target) return null;
  if (status === GONE_STATUS && target.format !== "email") return "the receiver answered 410 Gone";
  const { failingSince } = target;
  return failingSince && now - failingSince.getTime() >= MAX_FAILING_MS ? "it failed for 5 days" : null;
}

/**
 * A webhook in the form that the change log shows to every member. The form excludes the URL, which only owners may
 * see.
 */
const notice: Entity = {
  name: "Webhook",
  table: "webhook",
  columns: { id: "uuid", label: "text", teamId: nullable("uuid"), enabled: "boolean" },
  computed: {
    reason: { type: "text", published: true, sql: ({ build }) => bindGiven(build, "reason", "text") },
    url: pageUrl((row) => `'/settings/webhooks/' || ${columnSql(row, "id")}`),
  },
  one: { organization: organizationLink },
};

/** Disables a webhook or notice rule, unless its destination was changed or an attempt succeeded in the meantime. */
export const disableTarget = (runtime: Runtime, delivery: ClaimedDelivery, reason: string): Promise<void> =>
  delivery.target?.format === "changes"
    ? disableWebhook(runtime, delivery, reason)
    : disableRule(runtime, delivery, reason);

/** Disables a notice rule. Owners find the reason in the audit log, because the change log does not contain rules. */
async function disableRule(
  { db, log }: Runtime,
  { organizationId, targetId, target }: ClaimedDelivery,
  reason: string,
) {
  if (!target) return;
  const { targetEncrypted, failingSince } = target;
  const same = knex("noticeRule").where({ organizationId, id: targetId, enabled: true, targetEncrypted });
  if (failingSince) same.whereNotNull("failingSince");
  const disabled = await db.transaction(async (trx) => {
    const off = same.update({ enabled: false, error: reason, updatedAt: new Date() }).returning("id");
    const rows = await trx.query(toStatement(off));
    const detail = { id: targetId, reason };
    if (rows.length > 0) await writeAuditEntry(trx, { event: "noticeRule.disabled", organizationId, detail });
    return rows.length > 0;
  });
  if (disabled) log.warn({ organizationId, ruleId: targetId, reason }, "notice rule disabled");
}

/** Disables a webhook. Stores the reason for owners in the webhook, in the change log and in the audit log. */
export async function markWebhookDisabled(write: WriteContext, webhookId: string, reason: string): Promise<void> {
  const { scope, trx, at: updatedAt } = write;
  await writeAuditEntry(trx, {
    ...{ event: "webhook.disabled", organizationId: scope.organizationId, detail: { id: webhookId, reason } },
  });
  enqueueUpdate(write, notice, webhookId, { enabled: false, error: reason, updatedAt });
  const event = { event: "webhook.disabled", updatedFrom: { enabled: true }, given: { reason } };
  write.entries.push({ entity: notice, id: webhookId, action: "update", ...event });
}

/**
 * Disables a webhook and writes an entry to the change log. Every realtime client receives the entry, at once or when
 * the client catches up.
 */
async function disableWebhook(runtime: Runtime, delivery: ClaimedDelivery, reason: string): Promise<void> {
  const { organizationId, targetId: webhookId } = delivery;
  const outcome = await runMutationTransaction(
    createSystemScope(runtime, organizationId),
    entityModel,
    async (write) => {
      if (!(await stillFails(write, delivery))) return {};
      await markWebhookDisabled(write, webhookId, reason);
      return { id: webhookId };
    },
  );
  if (outcome.result.id) runtime.log.warn({ organizationId, webhookId, reason }, "webhook disabled");
}

async function stillFails(
  { trx }: WriteContext,
  { organizationId, targetId, target }: ClaimedDelivery,
): Promise<boolean> {
  if (!target) return false;
  const same = knex("webhook").where({ organizationId, id: targetId, enabled: true, url: target.url });
  if (target.failingSince) same.whereNotNull("failingSince");
  return (await trx.query(toStatement(same.forUpdate().select("id"), { reads: ["webhook"] }))).length > 0;
}
