import { knex, toStatement } from "../../../db/builder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { audit } from "../../accounts/audit.ts";
import { type Entity, nullable } from "../../read/entity.ts";
import { bindGiven, column } from "../../read/row.ts";
import { organizationLink, pageUrl } from "../../resources/fields.ts";
import { model } from "../../resources/index.ts";
import type { Runtime } from "../../runtime.ts";
import { systemScope } from "../../scope.ts";
import { mutate } from "../../write/mutate.ts";
import { enqueueUpdate, type Write } from "../../write/write.ts";
import { GONE } from "./attempt.ts";
import type { Claimed } from "./claim.ts";

/** A receiver may fail for this time without a success, in ms. */
const MAX_FAILING_MS = 5 * DAY_MS;

/** The reason for disabling a target after a failed attempt; null when the target stays enabled. */
export function reasonToDisable({ target }: Claimed, status: number | null, now = Date.now()): string | null {
  if (!target) return null;
  if (status === GONE && target.format !== "email") return "the receiver answered 410 Gone";
  const { failingSince } = target;
  return failingSince && now - failingSince.getTime() >= MAX_FAILING_MS ? "it failed for 5 days" : null;
}

/**
 * The change log's form of a webhook, which every member sees. The form excludes the URL, which only owners may see.
 */
const notice: Entity = {
  name: "Webhook",
  table: "webhook",
  columns: { id: "uuid", label: "text", teamId: nullable("uuid"), enabled: "boolean" },
  computed: {
    reason: { type: "text", published: true, sql: ({ build }) => bindGiven(build, "reason", "text") },
    url: pageUrl((row) => `'/settings/webhooks/' || ${column(row, "id")}`),
  },
  one: { organization: organizationLink },
};

/** Disables a webhook or rule, unless its target was changed or an attempt succeeded meanwhile. */
export const disableTarget = (runtime: Runtime, delivery: Claimed, reason: string): Promise<void> =>
  delivery.target?.format === "changes"
    ? disableWebhook(runtime, delivery, reason)
    : disableRule(runtime, delivery, reason);

/** Owners find the reason in the audit log, because rules are not in the change log. */
async function disableRule({ db, log }: Runtime, { organizationId, targetId, target }: Claimed, reason: string) {
  if (!target) return;
  const { targetEncrypted, failingSince } = target;
  const same = knex("noticeRule").where({ organizationId, id: targetId, enabled: true, targetEncrypted });
  if (failingSince) same.whereNotNull("failingSince");
  const disabled = await db.transaction(async (trx) => {
    const off = same.update({ enabled: false, error: reason, updatedAt: new Date() }).returning("id");
    const rows = await trx.query(toStatement(off));
    const detail = { id: targetId, reason };
    if (rows.length > 0) await audit(trx, { event: "noticeRule.disabled", organizationId, detail });
    return rows.length > 0;
  });
  if (disabled) log.warn({ organizationId, ruleId: targetId, reason }, "notice rule disabled");
}

/** Disables a webhook. Owners find the reason at the webhook, in the change log and in the audit log. */
export async function markWebhookDisabled(write: Write, webhookId: string, reason: string): Promise<void> {
  const { scope, trx, at: updatedAt } = write;
  await audit(trx, {
    ...{ event: "webhook.disabled", organizationId: scope.organizationId, detail: { id: webhookId, reason } },
  });
  enqueueUpdate(write, notice, webhookId, { enabled: false, error: reason, updatedAt });
  const event = { event: "webhook.disabled", updatedFrom: { enabled: true }, given: { reason } };
  write.entries.push({ entity: notice, id: webhookId, action: "update", ...event });
}

/** Writes a change to the change log, so every realtime client receives the notice or catches up later. */
async function disableWebhook(runtime: Runtime, delivery: Claimed, reason: string): Promise<void> {
  const { organizationId, targetId: webhookId } = delivery;
  const outcome = await mutate(systemScope(runtime, organizationId), model, async (write) => {
    if (!(await stillFails(write, delivery))) return {};
    await markWebhookDisabled(write, webhookId, reason);
    return { id: webhookId };
  });
  if (outcome.result.id) runtime.log.warn({ organizationId, webhookId, reason }, "webhook disabled");
}

async function stillFails({ trx }: Write, { organizationId, targetId, target }: Claimed): Promise<boolean> {
  if (!target) return false;
  const same = knex("webhook").where({ organizationId, id: targetId, enabled: true, url: target.url });
  if (target.failingSince) same.whereNotNull("failingSince");
  return (await trx.query(toStatement(same.forUpdate().select("id"), { reads: ["webhook"] }))).length > 0;
}
