import { knex } from "../../../db/builder.ts";
import type { Queryable } from "../../accounts/audit.ts";

/** The owner who manages webhooks, and the server's secret, which encrypts the webhooks' secrets. */
export interface WebhookScope {
  /** The current transaction, or for reads the database. */
  db: Queryable;
  organizationId: string;
  userId: string;
  secret: Uint8Array;
}

export const buildWebhookQuery = ({ organizationId }: WebhookScope, id: string) =>
  knex("webhook").where({ organizationId, id });

/** Returns the acting member for the audit log. */
export const toAuditActor = ({ organizationId, userId }: WebhookScope) => ({ organizationId, accountId: userId });

/**
 * Format of the deliveries to a target: `changes` for a webhook that receives changes; otherwise the channel of a
 * notice rule.
 */
export type DeliveryTargetFormat = "changes" | "email" | "slack" | "ntfy" | "webhook";

/** A table whose rows receive deliveries. */
export type DeliveryTargetTable = "webhook" | "noticeRule";

/** SQL for the target of a delivery: a webhook or a notice rule, each found by primary key. */
export const deliveryTargetSql = (organization: string, id: string): string => `(
  select 'changes' as format, enabled, url, null::bytea as "targetEncrypted", "secretEncrypted", "previousSecretEncrypted",
         "previousSecretUntil", "failingSince", "resourceTypes", null::text[] as emails, null::boolean as "includeText"
    from webhook where "organizationId" = ${organization} and id = ${id}
  union all
  select channel, enabled, null, "targetEncrypted", "secretEncrypted", null, null, "failingSince", null, emails, "includeText"
    from "noticeRule" where "organizationId" = ${organization} and id = ${id})`;
