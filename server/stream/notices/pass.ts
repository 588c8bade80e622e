import { getMonotonicDate } from "../../../concurrency/held-clock.ts";
import { knex, toStatement } from "../../../db/builder.ts";
import type { Database, Transaction } from "../../../db/open.ts";
import { disableRuleWithFullQueue, hasMaxPendingMessages, writeMessage } from "../../resources/notice-rule/message.ts";
import { readConditionChanges } from "./changes.ts";
import {
  isInQuietHours,
  type NoticeBatch,
  type NoticeEntry,
  type NoticeFiring,
  type NoticeSubject,
  readAndLockNoticeRules,
  resolveNotices,
  storeFirings,
  type WatchedNoticeRule,
} from "./firing.ts";
import { checkRecordedRule, usesRecordedData } from "./recorded.ts";

/** Minimum time between two messages of one rule, in ms. Notices that become due meanwhile share the next message. */
const SPACING_MS = 20_000;
/** Maximum number of notices that one message lists. Of further notices, the message reports only the number. */
const NAMED = 20;
/** Maximum notices that one message covers. */
const COVERED = 1_000;

/** Raw SQL: marks a rule's due notices as sent and returns the notices, oldest first. */
const TAKE_DUE = `with due as (
    select "group", "dueAt" as due from notice where "organizationId" = $1 and "ruleId" = $2 and "dueAt" <= $3
    order by "dueAt", "group" limit ${COVERED}),
  told as (update notice n set "dueAt" = null, "updatedAt" = $3,
      told = case when n."resolvedAt" is not null and n.told = 'firing' and n."toldValue" = n.value then 'resolved' else 'firing' end,
      "toldValue" = n.value,
      "toldAt" = case when n."resolvedAt" is not null and n.told = 'firing' and n."toldValue" = n.value then n."toldAt" else $3 end
    from due d where n."organizationId" = $1 and n."ruleId" = $2 and n."group" = d."group"
    returning n.told as state, n.value, n.subject, n."firedAt" as since, d.due, n."group")
  select state, value, subject, since from told order by due, "group"`;

type Taken = Omit<NoticeEntry, "event" | "since" | "subject"> & {
  since: Date;
  subject: NoticeSubject & { event: string };
};

/**
 * Writes one delivery for each rule with due notices. Skips rules in quiet hours and rules with a message less
 * than `SPACING_MS` ago.
 * @returns true when deliveries wait to be sent
 */
async function tellOf(
  trx: Transaction,
  organizationId: string,
  rules: readonly WatchedNoticeRule[],
  at: Date,
): Promise<boolean> {
  let tells = false;
  for (const rule of rules) {
    if (isInQuietHours(rule, at) || (rule.toldAt && at.getTime() - rule.toldAt.getTime() < SPACING_MS)) continue;
    const own = { organizationId, ruleId: rule.id };
    if (await hasMaxPendingMessages(trx, own)) {
      await disableRuleWithFullQueue(trx, own, at);
      continue;
    }
    const told = await trx.query<Taken>({
      name: "notices-take",
      text: TAKE_DUE,
      values: [organizationId, rule.id, at],
    });
    if (told.length === 0) continue;
    const notices = told.slice(0, NAMED).map(({ since, subject: { event, ...subject }, ...rest }) => ({
      ...rest,
      ...{ event, subject, since: since.toISOString() },
    }));
    const content: NoticeBatch = { notices, more: told.length - notices.length };
    await writeMessage(trx, own, content, at);
    await trx.query(toStatement(knex("noticeRule").where({ organizationId, id: rule.id }).update({ toldAt: at })));
    tells = true;
  }
  return tells;
}

/**
 * `SLOW_MS` is the interval in ms of slow passes, which also read sessions without a wake. `SOON_MS` is the interval of
 * checks while a message is pending.
 */
const SLOW_MS = 10_000;
const SOON_MS = 1_000;

interface Watch {
  lastSyncId: number;
  slowAt: Date;
  last: number;
}

/**
 * Raw SQL: locks the organization's row of `noticeWatch`, and reads its row of `sync` without a lock. Returns no row
 * while another process checks the organization.
 */
const TAKE = `select w."lastSyncId", w."slowAt", coalesce(s."lastSyncId", 0) as last from "noticeWatch" w
  left join sync s on s."organizationId" = w."organizationId" where w."organizationId" = $1 for update of w skip locked`;

/**
 * Checks the rules of an organization in one transaction. Processes each change since the last pass and writes each
 * message exactly once, even after a crash. Only one process checks an organization at a time.
 * @param touched sessions with new events
 * @returns true when deliveries wait to be sent
 */
export const checkNoticeRules = (
  db: Database,
  organizationId: string,
  touched: readonly string[] = [],
  at = getMonotonicDate(),
): Promise<boolean> =>
  db.transaction(async (trx) => {
    const [watch] = await trx.query<Watch>({ name: "notices-take-watch", text: TAKE, values: [organizationId] });
    if (!watch) return false;
    const rules = await readAndLockNoticeRules(trx, organizationId);
    const own = knex("noticeWatch").where({ organizationId });
    if (rules.length === 0) {
      // No enabled rule is left, so the watch is deleted. The next rule creates a new watch.
      await trx.query(toStatement(own.delete()));
      return false;
    }
    const slow = watch.slowAt <= at;
    const { lastSyncId: position, last } = watch;
    const changes = await readConditionChanges(trx, organizationId, rules, { position, last });
    await resolveNotices(trx, organizationId, changes.over, at);
    await storeFirings(
      trx,
      organizationId,
      [...changes.fired, ...(await recorded(trx, organizationId, { rules, touched, slow, at }))],
      at,
    );
    const tells = await tellOf(trx, organizationId, rules, at);
    const patch = {
      lastSyncId: changes.position,
      dueAt: new Date(at.getTime() + ((await waits(trx, organizationId, rules)) ? SOON_MS : SLOW_MS)),
      ...(slow && { slowAt: new Date(at.getTime() + SLOW_MS) }),
    };
    await trx.query(toStatement(own.update(patch)));
    return tells;
  });

async function recorded(
  trx: Transaction,
  organizationId: string,
  {
    rules,
    touched,
    slow,
    at,
  }: { rules: readonly WatchedNoticeRule[]; touched: readonly string[]; slow: boolean; at: Date },
): Promise<NoticeFiring[]> {
  const found: NoticeFiring[] = [];
  for (const rule of rules) {
    if (!(slow ? usesRecordedData(rule) : touched.length > 0 && usesRecordedData(rule, "touched"))) continue;
    found.push(...(await checkRecordedRule({ trx, organizationId, rule, touched, slow, at })));
  }
  return found;
}

/**
 * True when a notice waits to be sent. A notice may wait for the end of the quiet hours, or for the minimum time after
 * the last message.
 */
async function waits(trx: Transaction, organizationId: string, rules: readonly WatchedNoticeRule[]): Promise<boolean> {
  const due = knex("notice")
    .where({ organizationId })
    .whereIn(
      "ruleId",
      rules.map(({ id }) => id),
    )
    .whereNotNull("dueAt");
  return (await trx.query(toStatement(due.limit(1).select("ruleId")))).length > 0;
}

/**
 * Organizations whose rules are due for a check: the change log has new changes, or `dueAt` has passed. Raw SQL:
 * compares two tables.
 */
export const DUE_RULE_ORGANIZATIONS_SQL = `select w."organizationId" as id from "noticeWatch" w join sync s on s."organizationId" = w."organizationId"
  where w."dueAt" <= $1 or w."lastSyncId" < s."lastSyncId" order by w."dueAt" limit $2`;
