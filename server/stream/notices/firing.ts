import { knex, toStatement } from "../../../db/builder.ts";
import { buildLaterTimeSql } from "../../../db/distribution/moments.ts";
import type { Transaction } from "../../../db/open.ts";
import type { NoticeCondition } from "../../resources/notice-rule/input.ts";

/** The subject of a notice: ids, names and numbers. Titles and recorded text are read when the notice is sent. */
export interface NoticeSubject {
  sessionId?: string;
  eventId?: string | null;
  issueId?: string;
  failureGroupId?: string;
  tool?: string;
  /** A day in UTC, as YYYY-MM-DD. */
  day?: string;
  /** Cost in dollars. */
  cost?: number;
  calls?: number;
  failures?: number;
  /** The name of an issue's state. */
  state?: string;
}

/** A notice as stored in a delivery. */
export interface NoticeEntry {
  /** Name of the event, such as `session.waitingForPermission`. */
  event: string;
  state: "firing" | "resolved";
  /** The value that is compared, such as the state of a session. A notice with a different value counts as changed. */
  value: string;
  since: string;
  subject: NoticeSubject;
}

/** The content of a delivery of notices: the first notices, and the number of further notices. */
export interface NoticeBatch {
  notices: NoticeEntry[];
  more: number;
}

/** A notice rule with the columns that the watcher needs. */
export interface WatchedNoticeRule {
  id: string;
  condition: NoticeCondition;
  sessionStates: string[];
  failureKinds: string[];
  issueStateTypes: string[];
  tool: string | null;
  threshold: number | null;
  minimumCalls: number;
  teamId: string | null;
  quietFrom: string | null;
  quietTo: string | null;
  timeZone: string;
  /** The rule ignores events before this time. */
  watchedFrom: Date;
  /** The time of the rule's last message. */
  toldAt: Date | null;
}

const COLUMNS = [
  ...["id", "condition", "sessionStates", "failureKinds", "issueStateTypes", "tool", "threshold", "minimumCalls"],
  ...["teamId", "quietFrom", "quietTo", "timeZone", "watchedFrom", "toldAt"],
];

/** Reads and locks the enabled rules of an organization until the transaction ends. */
export const readAndLockNoticeRules = (trx: Transaction, organizationId: string): Promise<WatchedNoticeRule[]> =>
  trx.query<WatchedNoticeRule>(
    toStatement(knex("noticeRule").where({ organizationId, enabled: true }).orderBy("id").forUpdate().select(COLUMNS)),
  );

/** True when a time is within the quiet hours of a rule. */
export function isInQuietHours({ quietFrom: from, quietTo: to, timeZone }: WatchedNoticeRule, at: Date): boolean {
  if (from === null || to === null) return false;
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }).format(at);
  return from < to ? time >= from && time < to : time >= from || time < to;
}

/** A subject for which a rule's condition is true. `group` identifies the subject; each group gets one notice. */
export interface NoticeFiring {
  ruleId: string;
  group: string;
  event: string;
  /** When this value changes, a new message about the group is sent. */
  value: string;
  subject: NoticeSubject;
  /** True for an event without duration: no message reports its end. */
  instant?: boolean;
}

/** Minimum time between two messages with the same content about one group, in ms. */
const AGAIN_MS = 60 * 60_000;

const AGAIN = buildLaterTimeSql(`n."toldAt"`, `interval '${AGAIN_MS} milliseconds'`);
const SAME = `n.told = 'firing' and n."toldValue" = excluded.value`;

/**
 * Raw SQL: one statement stores many firings. A notice that already fires sends no new message unless its value
 * changed. If a resolved notice fires again with the same value, the next message waits until an hour after the last
 * message, and is sent only if the condition is still true then.
 */
const FIRE = `insert into notice as n ("organizationId", "ruleId", "group", value, subject, "firedAt", "resolvedAt", "dueAt", "updatedAt")
  select $1, f."ruleId", f."group", f.value, f.subject, $3, case when f.instant then $3::timestamptz end, $3, $3
    from jsonb_to_recordset($2::jsonb) f ("ruleId" uuid, "group" text, value text, subject jsonb, instant boolean)
    order by f."ruleId", f."group"
  on conflict ("organizationId", "ruleId", "group") do update set
    value = excluded.value, subject = excluded.subject, "updatedAt" = excluded."updatedAt",
    "firedAt" = case when n."resolvedAt" is null or excluded."resolvedAt" is not null and ${SAME} then n."firedAt" else excluded."firedAt" end,
    "resolvedAt" = excluded."resolvedAt",
    "dueAt" = case when ${SAME} then null
      when n."dueAt" is not null and n."resolvedAt" is null then n."dueAt"
      when n."toldValue" = excluded.value then greatest(excluded."dueAt", ${AGAIN})
      else excluded."dueAt" end`;

/** Stores that conditions are true. */
export async function storeFirings(
  trx: Transaction,
  organizationId: string,
  firings: readonly NoticeFiring[],
  at: Date,
) {
  if (firings.length === 0) return;
  const rows = firings.map(({ event, subject, ...rest }) => ({ ...rest, subject: { ...subject, event } }));
  await trx.query({ name: "notices-fire", text: FIRE, values: [organizationId, JSON.stringify(rows), at] });
}

/**
 * Raw SQL: one statement resolves many notices. A message reports the end only if an earlier message reported the
 * beginning.
 */
const RESOLVE = `update notice n set "resolvedAt" = $3, "updatedAt" = $3, "dueAt" = case when n.told = 'firing' then $3::timestamptz end
  from jsonb_to_recordset($2::jsonb) f ("ruleId" uuid, "group" text)
  where n."organizationId" = $1 and n."ruleId" = f."ruleId" and n."group" = f."group" and n."resolvedAt" is null`;

/** Stores that conditions are no longer true. Groups without a firing notice are ignored. */
export async function resolveNotices(
  trx: Transaction,
  organizationId: string,
  groups: readonly Pick<NoticeFiring, "ruleId" | "group">[],
  at: Date,
) {
  if (groups.length === 0) return;
  await trx.query({ name: "notices-resolve", text: RESOLVE, values: [organizationId, JSON.stringify(groups), at] });
}

/** Maximum number of a rule's firing groups that one pass checks again. */
const FIRING = 200;

/** Raw SQL. Selects the firing groups of a rule that were read longest ago, and marks these groups as read now. */
const LOOK = `update notice n set "updatedAt" = $3 from (
    select "ruleId", "group" from notice where "organizationId" = $1 and "ruleId" = $2 and "resolvedAt" is null
    order by "updatedAt" limit ${FIRING}) f
  where n."organizationId" = $1 and n."ruleId" = f."ruleId" and n."group" = f."group" returning n."group", n.subject`;

/** Reads some firing groups of a rule. Takes the groups checked longest ago, so that every group has its turn. */
export const readFiringGroups = (trx: Transaction, organizationId: string, ruleId: string, at: Date) =>
  trx.query<{ group: string; subject: NoticeSubject }>({
    name: "notices-firing",
    text: LOOK,
    values: [organizationId, ruleId, at],
  });
