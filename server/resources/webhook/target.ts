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
