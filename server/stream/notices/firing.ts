import { knex, toStatement } from "../../../db/builder.ts";
import { laterSql } from "../../../db/distribution/moments.ts";
import type { Transaction } from "../../../db/open.ts";
import type { Condition } from "../../resources/notice-rule/input.ts";

/** The thing that a notice is about, by ids, names and numbers. Texts are looked up when it is sent. */
export interface Subject {
  sessionId?: string;
  eventId?: string | null;
  issueId?: string;
  failureGroupId?: string;
  tool?: string;
  /** A day in UTC, as YYYY-MM-DD. */
  day?: string;
  /** Dollars. */
  cost?: number;
  calls?: number;
  failures?: number;
  /** The state of an issue by its name. */
  state?: string;
}

/** A notice as a delivery holds it. */
export interface NoticeEntry {
  /** Name of the event, such as session.waitingForPermission. */
  event: string;
  state: "firing" | "resolved";
  /** The value by which a change is seen, such as the state of a session. */
  value: string;
  since: string;
  subject: Subject;
}

/** The content of a delivery that tells of notices: the first of them, and how many more there were. */
export interface Notices {
  notices: NoticeEntry[];
  more: number;
}

/** A rule as it is watched. */
export interface Rule {
  id: string;
  condition: Condition;
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
  /** Earlier events do not count. */
  watchedFrom: Date;
  /** The moment of its last message. */
  toldAt: Date | null;
}

const COLUMNS = [
  ...["id", "condition", "sessionStates", "failureKinds", "issueStateTypes", "tool", "threshold", "minimumCalls"],
  ...["teamId", "quietFrom", "quietTo", "timeZone", "watchedFrom", "toldAt"],
];

/** The rules of an organization that are watched. They stay as they are until the transaction ends. */
export const rulesOf = (trx: Transaction, organizationId: string): Promise<Rule[]> =>
  trx.query<Rule>(
    toStatement(knex("noticeRule").where({ organizationId, enabled: true }).orderBy("id").forUpdate().select(COLUMNS)),
  );

/** True at a moment in the quiet hours of a rule. */
export function isQuiet({ quietFrom: from, quietTo: to, timeZone }: Rule, at: Date): boolean {
  if (from === null || to === null) return false;
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }).format(at);
  return from < to ? time >= from && time < to : time >= from || time < to;
}

/** A thing that a rule's condition holds of, by its group: what is said of one group is sent once. */
export interface Firing {
  ruleId: string;
  group: string;
  event: string;
  /** A notice is sent again as soon as this is another one. */
  value: string;
  subject: Subject;
  /** It does not last: no message says that it is over. */
  instant?: boolean;
}

/** The least time between two messages about one group that say the same, in ms. */
const AGAIN_MS = 60 * 60_000;

const AGAIN = laterSql(`n."toldAt"`, `interval '${AGAIN_MS} milliseconds'`);
const SAME = `n.told = 'firing' and n."toldValue" = excluded.value`;

/**
 * Raw SQL: one statement notes many firings. What fires already stays as it is, unless its value changed; a message about
 * what was over since its last one waits until an hour after that, and goes if it still holds then.
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

/** Notes that conditions hold. */
export async function fire(trx: Transaction, organizationId: string, firings: readonly Firing[], at: Date) {
  if (firings.length === 0) return;
  const rows = firings.map(({ event, subject, ...rest }) => ({ ...rest, subject: { ...subject, event } }));
  await trx.query({ name: "notices-fire", text: FIRE, values: [organizationId, JSON.stringify(rows), at] });
}

/** Raw SQL, as above. Where a message said that it began, one says that it is over; else there is none to send. */
const RESOLVE = `update notice n set "resolvedAt" = $3, "updatedAt" = $3, "dueAt" = case when n.told = 'firing' then $3::timestamptz end
  from jsonb_to_recordset($2::jsonb) f ("ruleId" uuid, "group" text)
  where n."organizationId" = $1 and n."ruleId" = f."ruleId" and n."group" = f."group" and n."resolvedAt" is null`;

/** Notes that conditions hold no longer; of those that did not there is nothing to note. */
export async function resolve(
  trx: Transaction,
  organizationId: string,
  groups: readonly Pick<Firing, "ruleId" | "group">[],
  at: Date,
) {
  if (groups.length === 0) return;
  await trx.query({ name: "notices-resolve", text: RESOLVE, values: [organizationId, JSON.stringify(groups), at] });
}

/** Groups of a rule that are read again at once. */
const FIRING = 200;

/** Raw SQL. The groups of a rule that fire and were read longest ago; they are marked as read now. */
const LOOK = `update notice n set "updatedAt" = $3 from (
    select "ruleId", "group" from notice where "organizationId" = $1 and "ruleId" = $2 and "resolvedAt" is null
    order by "updatedAt" limit ${FIRING}) f
  where n."organizationId" = $1 and n."ruleId" = f."ruleId" and n."group" = f."group" returning n."group", n.subject`;

/** Some groups of a rule that fire. Each has its turn, however many there are. */
export const firingOf = (trx: Transaction, organizationId: string, ruleId: string, at: Date) =>
  trx.query<{ group: string; subject: Subject }>({
    name: "notices-firing",
    text: LOOK,
    values: [organizationId, ruleId, at],
  });
