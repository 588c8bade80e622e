import { randomUUID } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import { type Queryable, writeAuditEntry } from "../../accounts/audit.ts";
import { hasPendingDeliveries } from "../webhook/pending.ts";

/**
 * Maximum number of messages per rule that wait for delivery. A rule writes at most one message in 20 s, and delivery
 * of a message is tried for at most three days.
 */
const MOST_WAITING = 1_000;

interface OfRule {
  organizationId: string;
  ruleId: string;
}

/** Returns true if a rule has the maximum number of waiting messages. */
export const hasMaxPendingMessages = (db: Queryable, { organizationId, ruleId }: OfRule): Promise<boolean> =>
  hasPendingDeliveries(db, { organizationId, targetId: ruleId }, MOST_WAITING);

/** Stores a message of a rule as a delivery that contains the rule's notices. */
export async function writeMessage(trx: Queryable, { organizationId, ruleId }: OfRule, notices: object, at: Date) {
  const row = {
    ...{ organizationId, id: randomUUID(), targetId: ruleId, notices: JSON.stringify(notices) },
    ...{ nextAttemptAt: at, createdAt: at },
  };
  await trx.query(toStatement(knex("delivery").insert(row)));
}

/**
 * Disables a rule that has too many waiting messages. The stored reason tells owners the time after which the rule
 * sends nothing.
 */
export async function disableRuleWithFullQueue(
  trx: Queryable,
  { organizationId, ruleId }: OfRule,
  at: Date,
): Promise<void> {
  const reason = `${MOST_WAITING} of its messages waited; it sends nothing of what happened after ${at.toISOString()}`;
  const off = { enabled: false, error: reason, updatedAt: at };
  await trx.query(toStatement(knex("noticeRule").where({ organizationId, id: ruleId }).update(off)));
  await writeAuditEntry(trx, { event: "noticeRule.disabled", organizationId, detail: { id: ruleId, reason } });
}
