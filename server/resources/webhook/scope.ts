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
