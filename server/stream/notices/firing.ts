import type { Transaction } from "../../../db/open.ts";
import type { Subject } from "./notice.ts";

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
      when n."toldValue" = excluded.value then greatest(excluded."dueAt", n."toldAt" + interval '${AGAIN_MS} milliseconds')
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
