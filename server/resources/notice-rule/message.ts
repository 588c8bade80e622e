import { randomUUID } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import { audit, type Queryable } from "../../accounts/audit.ts";
import { hasPending } from "../webhook/pending.ts";

/**
 * Maximum number of waiting messages per rule. A rule writes at most one message per 20 s, and each message ends
 * within three days.
 */
const MOST_WAITING = 1_000;

interface OfRule {
  organizationId: string;
  ruleId: string;
}

/** Returns true if a rule has the maximum number of waiting messages. */
export const isFull = (db: Queryable, { organizationId, ruleId }: OfRule): Promise<boolean> =>
  hasPending(db, { organizationId, targetId: ruleId }, MOST_WAITING);

/** Writes a message of a rule: a delivery with the rule's notices. */
export async function writeMessage(trx: Queryable, { organizationId, ruleId }: OfRule, notices: object, at: Date) {
  const row = {
    ...{ organizationId, id: randomUUID(), targetId: ruleId, notices: JSON.stringify(notices) },
    ...{ nextAttemptAt: at, createdAt: at },
  };
  await trx.query(toStatement(knex("delivery").insert(row)));
}

/** Disables a rule with too many waiting messages, and records for owners since when the rule sends nothing. */
export async function disableFull(trx: Queryable, { organizationId, ruleId }: OfRule, at: Date): Promise<void> {
  const reason = `${MOST_WAITING} of its messages waited; it sends nothing of what happened after ${at.toISOString()}`;
  const off = { enabled: false, error: reason, updatedAt: at };
  await trx.query(toStatement(knex("noticeRule").where({ organizationId, id: ruleId }).update(off)));
  await audit(trx, { event: "noticeRule.disabled", organizationId, detail: { id: ruleId, reason } });
}
