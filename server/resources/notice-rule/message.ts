import { randomUUID } from "node:crypto";
import { knex, toStatement } from "../../../db/builder.ts";
import { audit, type Queryable } from "../../accounts/audit.ts";
import { hasPending } from "../webhook/pending.ts";

/** Messages of one rule that may wait: at most one each 20 s is written, and each ends within three days. */
const MOST_WAITING = 1_000;

interface OfRule {
  organizationId: string;
  ruleId: string;
}

/** Tells whether as many messages of a rule wait as may. */
export const isFull = (db: Queryable, { organizationId, ruleId }: OfRule): Promise<boolean> =>
  hasPending(db, { organizationId, targetId: ruleId }, MOST_WAITING);

/** Writes a message of a rule: the delivery of its notices. */
export async function writeMessage(trx: Queryable, { organizationId, ruleId }: OfRule, notices: object, at: Date) {
  const row = {
    ...{ organizationId, id: randomUUID(), targetId: ruleId, notices: JSON.stringify(notices) },
    ...{ nextAttemptAt: at, createdAt: at },
  };
  await trx.query(toStatement(knex("delivery").insert(row)));
}

/** Disables a rule of which too many messages wait, and tells owners since when it sends nothing. */
export async function disableFull(trx: Queryable, { organizationId, ruleId }: OfRule, at: Date): Promise<void> {
  const reason = `${MOST_WAITING} of its messages waited; it sends nothing of what happened after ${at.toISOString()}`;
  const off = { enabled: false, error: reason, updatedAt: at };
  await trx.query(toStatement(knex("noticeRule").where({ organizationId, id: ruleId }).update(off)));
  await audit(trx, { event: "noticeRule.disabled", organizationId, detail: { id: ruleId, reason } });
}
