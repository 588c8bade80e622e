import { knex, toStatement } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import { deliveryOf } from "../../resources/notice-rule/rule.ts";
import type { NoticeEntry, Notices, Subject } from "./notice.ts";
import { isQuiet, type Rule } from "./rules.ts";

/** The least time between two messages of one rule: what comes meanwhile goes together in the next. */
const SPACING_MS = 20_000;
/** Notices that one message names; of more it says how many. */
const NAMED = 20;
/** Notices that one message covers. */
const COVERED = 1_000;

/** Raw SQL: what is due of a rule is marked as sent, and answered, the oldest first. */
const TAKE = `with due as (
    select "group", "dueAt" as due from notice where "organizationId" = $1 and "ruleId" = $2 and "dueAt" <= $3
    order by "dueAt", "group" limit ${COVERED}),
  told as (update notice n set "dueAt" = null, "updatedAt" = $3,
      told = case when n."resolvedAt" is not null and n.told = 'firing' and n."toldValue" = n.value then 'resolved' else 'firing' end,
      "toldValue" = n.value,
      "toldAt" = case when n."resolvedAt" is not null and n.told = 'firing' and n."toldValue" = n.value then n."toldAt" else $3 end
    from due d where n."organizationId" = $1 and n."ruleId" = $2 and n."group" = d."group"
    returning n.told as state, n.value, n.subject, n."firedAt" as since, d.due, n."group")
  select state, value, subject, since from told order by due, "group"`;

type Taken = Omit<NoticeEntry, "event" | "since" | "subject"> & { since: Date; subject: Subject & { event: string } };

/**
 * Writes the deliveries that tell of what is due, one a rule: none in its quiet hours, and none so soon after the last.
 * @returns whether there are some to send
 */
export async function tellOf(
  trx: Transaction,
  organizationId: string,
  rules: readonly Rule[],
  at: Date,
): Promise<boolean> {
  let tells = false;
  for (const rule of rules) {
    if (isQuiet(rule, at) || (rule.toldAt && at.getTime() - rule.toldAt.getTime() < SPACING_MS)) continue;
    const told = await trx.query<Taken>({ name: "notices-take", text: TAKE, values: [organizationId, rule.id, at] });
    if (told.length === 0) continue;
    const notices = told.slice(0, NAMED).map(({ since, subject: { event, ...subject }, ...rest }) => ({
      ...rest,
      ...{ event, subject, since: since.toISOString() },
    }));
    const content: Notices = { notices, more: told.length - notices.length };
    await trx.query(toStatement(knex("delivery").insert(deliveryOf(organizationId, rule.id, content, at))));
    await trx.query(toStatement(knex("noticeRule").where({ organizationId, id: rule.id }).update({ toldAt: at })));
    tells = true;
  }
  return tells;
}
