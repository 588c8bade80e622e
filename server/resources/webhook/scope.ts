import { knex } from "../../../db/builder.ts";
import type { Queryable } from "../../accounts/audit.ts";

/** On whose behalf a webhook is managed, and the server's secret that encrypts its own. Owners alone come here. */
export interface WebhookScope {
  /** The transaction in hand; to read, the database. */
  db: Queryable;
  organizationId: string;
  userId: string;
  secret: Uint8Array;
}

/** The row of one webhook of the organization. */
export const webhookRow = ({ organizationId }: WebhookScope, id: string) =>
  knex("webhook").where({ organizationId, id });

/** The member who acts, for the audit log. */
export const actor = ({ organizationId, userId }: WebhookScope) => ({ organizationId, accountId: userId });

/** The format in which a target gets its deliveries: a webhook of changes, or a rule's channel. */
export type TargetFormat = "changes" | "email" | "slack" | "ntfy" | "webhook";

/** A table whose rows deliveries go to. */
export type TargetTable = "webhook" | "noticeRule";

/** SQL of the row that a delivery goes to: a webhook, or a rule of notices. Each is found by its key. */
export const targetSql = (organization: string, id: string): string => `(
  select 'changes' as format, enabled, url, null::bytea as "targetEncrypted", "secretEncrypted", "previousSecretEncrypted",
         "previousSecretUntil", "failingSince", "resourceTypes", null::text[] as emails, null::boolean as "includeText"
    from webhook where "organizationId" = ${organization} and id = ${id}
  union all
  select channel, enabled, null, "targetEncrypted", "secretEncrypted", null, null, "failingSince", null, emails, "includeText"
    from "noticeRule" where "organizationId" = ${organization} and id = ${id})`;
